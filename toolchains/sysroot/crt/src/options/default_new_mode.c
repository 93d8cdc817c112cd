// Default policy: `malloc` does not call the new handler. Replaced by newmode.obj.
int __cdecl _get_startup_new_mode(void) { return 0; }
