/* Wine lacks the mode of spawning that replaces the process, as UCRT's header names it for old sources. */
#include_next <process.h>
#ifndef _OLD_P_OVERLAY
#define _OLD_P_OVERLAY 2
#endif
