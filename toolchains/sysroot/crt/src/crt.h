// What the start-up objects share: the UCRT's start-up interface, the section bounds, and the hooks between objects.
// This is not a public header and nothing of it reaches a program's own translation units.
//
// Sources: "CRT initialization" and "C runtime (CRT) and C++ standard library .lib files" of the Microsoft C++ documentation.
#pragma once

// The UCRT's functions are declared without `dllimport`, also by its own headers, which windows.h draws in: the same objects can later
// serve a static run-time library, and the functions that these objects define are not taken for imports.
#define _ACRTIMP
#include <windows.h>

// Whoever links any of these objects needs these three import libraries, as with Microsoft's `msvcrt.lib`.
#pragma comment(lib, "ucrt")
#pragma comment(lib, "vcruntime")
#pragma comment(lib, "kernel32")

typedef void(__cdecl *crt_procedure)(void);
typedef int(__cdecl *crt_initializer)(void);
typedef void(NTAPI *crt_tls_callback)(PVOID module, DWORD reason, PVOID reserved);

// Puts a constant into a named section. The linker sorts the contributions to `.CRT` by what follows the `$`
// (PE/COFF specification, "Grouped Sections"), so that the two bounds enclose what the compiler emitted between them.
#define CRT_SECTION(name) __attribute__((section(name), used))

// A variable with this mark is a COFF common symbol: a real definition in another object replaces it, and the reference
// never draws an archive member in. That is how the start-up code offers a hook without linking what serves the hook.
#define CRT_HOOK __attribute__((common))

enum crt_app_kind { CRT_CONSOLE_APP = 1, CRT_GUI_APP = 2 };

// The UCRT's start-up interface (exports of ucrtbase.dll).
struct crt_onexit_table {
    crt_procedure *first;
    crt_procedure *last;
    crt_procedure *end;
};
struct _exception;
void __cdecl _initterm(const crt_procedure *first, const crt_procedure *last);
int __cdecl _initterm_e(const crt_initializer *first, const crt_initializer *last);
int __cdecl _initialize_onexit_table(struct crt_onexit_table *table);
int __cdecl _register_onexit_function(struct crt_onexit_table *table, crt_initializer function);
int __cdecl _execute_onexit_table(struct crt_onexit_table *table);
int __cdecl _crt_atexit(crt_procedure function);
int __cdecl _crt_at_quick_exit(crt_procedure function);
void __cdecl _register_thread_local_exe_atexit_callback(crt_tls_callback callback);
int __cdecl _seh_filter_exe(unsigned long code, EXCEPTION_POINTERS *pointers);
int __cdecl _seh_filter_dll(unsigned long code, EXCEPTION_POINTERS *pointers);
void __cdecl _set_app_type(int kind);
int __cdecl _set_fmode(int mode);
int *__cdecl __p__commode(void);
int __cdecl _set_new_mode(int mode);
int __cdecl _configthreadlocale(int type);
void __cdecl __setusermatherr(int(__cdecl *handler)(struct _exception *));
int __cdecl _configure_narrow_argv(int mode);
int __cdecl _configure_wide_argv(int mode);
int __cdecl _initialize_narrow_environment(void);
int __cdecl _initialize_wide_environment(void);
char **__cdecl _get_initial_narrow_environment(void);
wchar_t **__cdecl _get_initial_wide_environment(void);
char *__cdecl _get_narrow_winmain_command_line(void);
wchar_t *__cdecl _get_wide_winmain_command_line(void);
int *__cdecl __p___argc(void);
char ***__cdecl __p___argv(void);
wchar_t ***__cdecl __p___wargv(void);
__declspec(noreturn) void __cdecl exit(int code);
__declspec(noreturn) void __cdecl _exit(int code);
__declspec(noreturn) void __cdecl terminate(void);

// Policies with a default in the library and a replacement among the link options (src/options).
int __cdecl _get_startup_argv_mode(void);
int __cdecl _get_startup_commit_mode(void);
int __cdecl _get_startup_file_mode(void);
int __cdecl _get_startup_new_mode(void);
int __cdecl _get_startup_thread_locale_mode(void);
int __cdecl _should_initialize_environment(void);
int __cdecl _matherr(struct _exception *error);

// Bounds of the tables of initialisers and terminators (src/startup/initializers.c).
extern const crt_initializer __xi_a[], __xi_z[];
extern const crt_procedure __xc_a[], __xc_z[];
extern const crt_procedure __xp_a[], __xp_z[];
extern const crt_procedure __xt_a[], __xt_z[];

// Runs a program from its initialisers to `exit`; the entry points differ only in the two steps they hand over.
int __cdecl __windlass_run_exe(enum crt_app_kind kind, int(__cdecl *prepare)(void), int(__cdecl *invoke)(void));
void __cdecl __windlass_catch_cxx_exceptions(void);
int __cdecl __windlass_winmain_show(void);

// The table of `atexit` functions of a DLL (src/startup/onexit.c).
int __cdecl __windlass_open_module_onexit(void);
void __cdecl __windlass_close_module_onexit(void);

// Hooks that src/tls fills in when the module has thread-local variables with initialisers or destructors.
extern crt_tls_callback __windlass_tls_init;
extern crt_tls_callback __windlass_tls_exit;

extern UINT_PTR __security_cookie;
void __cdecl __security_init_cookie(void);
extern IMAGE_DOS_HEADER __ImageBase;
