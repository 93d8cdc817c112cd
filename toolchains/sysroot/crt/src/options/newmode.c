// Link option newmode.obj: `malloc` calls the new handler when memory runs out.
int __cdecl _get_startup_new_mode(void) { return 1; }
