// Default policy: threads share one locale; zero leaves the UCRT's setting. Replaced by threadlocale.obj.
int __cdecl _get_startup_thread_locale_mode(void) { return 0; }
