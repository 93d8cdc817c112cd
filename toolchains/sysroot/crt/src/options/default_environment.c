// Default policy: the C environment is read at start. Replaced by noenv.obj.
int __cdecl _should_initialize_environment(void) { return 1; }
