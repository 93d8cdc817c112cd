/* Absent in Wine. Only the major version (configure scripts compare it): no build of
 * Microsoft's runtime is claimed. */
#pragma once
#define _VC_CRT_MAJOR_VERSION 14
