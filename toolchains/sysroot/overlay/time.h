/* Wine lacks gmtime_s, _mkgmtime, timespec_get and tzset, and declares the time zone variables as data,
 * which the UCRT does not export. */
#include_next <time.h>
#ifndef SYSROOT_TIME_H
#define SYSROOT_TIME_H
#ifdef __cplusplus
extern "C" {
#endif
_ACRTIMP int *__cdecl __daylight(void);
_ACRTIMP __msvcrt_long *__cdecl __dstbias(void);
_ACRTIMP __msvcrt_long *__cdecl __timezone(void);
_ACRTIMP char **__cdecl __tzname(void);
#undef _daylight
#undef _dstbias
#undef _timezone
#undef _tzname
#define _daylight (*__daylight())
#define _dstbias (*__dstbias())
#define _timezone (*__timezone())
#define _tzname (__tzname())

_ACRTIMP errno_t __cdecl _get_daylight(int *);
_ACRTIMP errno_t __cdecl _get_dstbias(__msvcrt_long *);
_ACRTIMP errno_t __cdecl _get_timezone(__msvcrt_long *);
_ACRTIMP errno_t __cdecl _get_tzname(size_t *, char *, size_t, int);

_ACRTIMP errno_t __cdecl asctime_s(char *, size_t, const struct tm *);
#ifndef TIME_UTC
#define TIME_UTC 1
#endif
_ACRTIMP int __cdecl _timespec32_get(struct _timespec32 *, int);
_ACRTIMP int __cdecl _timespec64_get(struct _timespec64 *, int);
_ACRTIMP __time32_t __cdecl _mkgmtime32(struct tm *);
_ACRTIMP __time64_t __cdecl _mkgmtime64(struct tm *);
#ifdef _USE_32BIT_TIME_T
static __inline errno_t gmtime_s(struct tm *res, const time_t *t) { return _gmtime32_s(res, t); }
static __inline time_t _mkgmtime(struct tm *t) { return _mkgmtime32(t); }
#else
static __inline errno_t gmtime_s(struct tm *res, const time_t *t) { return _gmtime64_s(res, t); }
static __inline time_t _mkgmtime(struct tm *t) { return _mkgmtime64(t); }
#endif
static __inline int timespec_get(struct timespec *now, int base)
{
#ifdef _USE_32BIT_TIME_T
    return _timespec32_get((struct _timespec32 *)now, base);
#else
    return _timespec64_get((struct _timespec64 *)now, base);
#endif
}
static __inline void tzset(void) { _tzset(); }
#ifdef __cplusplus
}
#endif
#endif
