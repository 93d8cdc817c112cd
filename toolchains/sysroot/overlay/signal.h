/* Wine lacks sig_atomic_t. */
#include_next <signal.h>
#ifndef _SIG_ATOMIC_T_DEFINED
#define _SIG_ATOMIC_T_DEFINED
typedef int sig_atomic_t;
#endif
