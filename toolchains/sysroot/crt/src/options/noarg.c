// Link option noarg.obj: the command line is not parsed (`_crt_argv_no_arguments`).
int __cdecl _get_startup_argv_mode(void) { return 0; }
