/* Wine lacks CAPTUREBLT, the raster operation flag that includes layered windows. */
#include_next <wingdi.h>
#ifndef CAPTUREBLT
#define CAPTUREBLT 0x40000000
#endif
