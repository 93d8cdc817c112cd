/* Forced into every translation unit (/FI): libc++'s site configuration, which the
 * ziglang wheel ships without a __config_site and expects as macros. */
#pragma once
#ifndef __ASSEMBLER__

/* ABI: version 1, the namespace every object of a link must agree on. */
#define _LIBCPP_ABI_VERSION 1
#define _LIBCPP_ABI_NAMESPACE __1
/* Class layout and type_info follow the Microsoft ABI, as the compiler does. */
#define _LIBCPP_ABI_FORCE_ITANIUM 0
#define _LIBCPP_ABI_FORCE_MICROSOFT 1

/* Threads through Win32; there is no pthread and no <threads.h>. */
#define _LIBCPP_HAS_THREADS 1
#define _LIBCPP_HAS_MONOTONIC_CLOCK 1
#define _LIBCPP_HAS_THREAD_API_WIN32 1
#define _LIBCPP_HAS_THREAD_API_PTHREAD 0
#define _LIBCPP_HAS_THREAD_API_EXTERNAL 0
#define _LIBCPP_HAS_THREAD_API_C11 0

/* What the UCRT and Win32 can carry: everything but a time zone database. */
#define _LIBCPP_HAS_TERMINAL 1
#define _LIBCPP_HAS_FILESYSTEM 1
#define _LIBCPP_HAS_RANDOM_DEVICE 1
#define _LIBCPP_HAS_LOCALIZATION 1
#define _LIBCPP_HAS_UNICODE 1
#define _LIBCPP_HAS_WIDE_CHARACTERS 1
#define _LIBCPP_HAS_TIME_ZONE_DATABASE 0

/* Other platforms' switches; the headers test their value, so each needs one. */
#define _LIBCPP_HAS_MUSL_LIBC 0
#define _LIBCPP_LIBC_NEWLIB 0
#define _LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS 0
#define _LIBCPP_INSTRUMENTED_WITH_ASAN 0

/* Microsoft's vcruntime_*.h do not exist here: libc++ declares new and exceptions itself. */
#define _LIBCPP_NO_VCRUNTIME
/* libc++ is linked statically into each image: no dllimport on its symbols. */
#define _LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS
/* The library is asked for below, once, not by libc++'s own pragma. */
#define _LIBCPP_NO_AUTO_LINK
/* Parallel algorithms need some backend; std::thread is always there. */
#define _LIBCPP_PSTL_BACKEND_STD_THREAD
/* Hardening is off ("none") unless a unit asks for it; then what a failed check does depends on its mode. */
#define _LIBCPP_HARDENING_MODE_DEFAULT 2
#define _LIBCPP_ASSERTION_SEMANTIC_DEFAULT 2

/* C++ objects need operator new, terminate and the rest even without a libc++ header. */
#if defined(__cplusplus) && !defined(_LIBCPP_BUILDING_LIBRARY)
#pragma comment(lib, "libc++.lib")
#endif

#endif
