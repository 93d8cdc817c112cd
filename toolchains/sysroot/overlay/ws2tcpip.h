/* Wine lacks the control codes of multicast source filters (RFC 3678). */
#pragma once
#include_next <ws2tcpip.h>
#define SIO_SET_MULTICAST_FILTER _IOW('t', 125, u_long)
#define SIO_GET_MULTICAST_FILTER _IOW('t', 124 | IOC_IN, u_long)
#define SIOCSIPMSFILTER SIO_SET_MULTICAST_FILTER
#define SIOCGIPMSFILTER SIO_GET_MULTICAST_FILTER
#define SIOCSMSFILTER _IOW('t', 126, u_long)
#define SIOCGMSFILTER _IOW('t', 127 | IOC_IN, u_long)
