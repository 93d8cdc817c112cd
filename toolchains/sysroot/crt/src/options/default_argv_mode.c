// Default policy: arguments are split and wild cards left alone (`_crt_argv_unexpanded_arguments`). Replaced by setargv.obj and noarg.obj.
int __cdecl _get_startup_argv_mode(void) { return 1; }
