// Link option noenv.obj: the C environment is not read at start.
int __cdecl _should_initialize_environment(void) { return 0; }
