// Link option threadlocale.obj: each thread has its own locale (`_ENABLE_PER_THREAD_LOCALE`).
int __cdecl _get_startup_thread_locale_mode(void) { return 1; }
