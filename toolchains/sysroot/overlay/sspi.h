/* Wine lacks the context attribute that sets the MTU of a DTLS connection. */
#include_next <sspi.h>
#ifndef SECPKG_ATTR_DTLS_MTU
#define SECPKG_ATTR_DTLS_MTU 34
#endif
