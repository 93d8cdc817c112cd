// Link option setargv.obj (and wsetargv.obj): wild cards in arguments are expanded (`_crt_argv_expanded_arguments`).
int __cdecl _get_startup_argv_mode(void) { return 2; }
