/* The parent of every program that the runner starts. A program that ends while another of its threads runs user code
   can take the emulator down with it, and then the exit status that the host sees is the emulator's. Wine's server has
   recorded the right code by then: this program waits for it there, writes all 32 bits to the runner's status file,
   and ends with the low ones. It needs no C library, so that it says nothing about ours.

   The command line is `launcher.exe PROGRAM ARGS…`; what follows the first word is passed on as it stands, so no
   argument is quoted twice. The environment names the status file (WINDLASS_RUN_STATUS) and the time limit in
   milliseconds (WINDLASS_RUN_LIMIT); both are taken out before the program starts. */

typedef unsigned short wchar;
typedef unsigned long dword;
typedef void *handle;

/* STARTUPINFOW, PROCESS_INFORMATION and JOBOBJECT_EXTENDED_LIMIT_INFORMATION as winbase.h and winnt.h lay them out. */
struct startup { dword size; wchar *reserved, *desktop, *title; dword numbers[8]; unsigned short show, count2; void *data2; handle in, out, err; };
struct process { handle process, thread; dword process_id, thread_id; };
struct limits { long long times[2]; dword flags; unsigned long long sizes[2]; dword active; unsigned long long affinity; dword priority, scheduling; unsigned long long counters[6], memory[4]; };

#define IMPORT __declspec(dllimport)
IMPORT int AssignProcessToJobObject(handle, handle);
IMPORT int CloseHandle(handle);
IMPORT handle CreateFileW(const wchar *, dword, dword, void *, dword, dword, handle);
IMPORT handle CreateJobObjectW(void *, const wchar *);
IMPORT int CreateProcessW(const wchar *, wchar *, void *, void *, int, dword, void *, const wchar *, struct startup *, struct process *);
IMPORT __declspec(noreturn) void ExitProcess(unsigned);
IMPORT wchar *GetCommandLineW(void);
IMPORT dword GetEnvironmentVariableW(const wchar *, wchar *, dword);
IMPORT int GetExitCodeProcess(handle, dword *);
IMPORT dword GetLastError(void);
IMPORT void GetStartupInfoW(struct startup *);
IMPORT dword ResumeThread(handle);
IMPORT int SetEnvironmentVariableW(const wchar *, const wchar *);
IMPORT unsigned SetErrorMode(unsigned);
IMPORT int SetInformationJobObject(handle, int, void *, dword);
IMPORT int TerminateJobObject(handle, unsigned);
IMPORT int TerminateProcess(handle, unsigned);
IMPORT dword WaitForSingleObject(handle, dword);
IMPORT int WriteFile(handle, const void *, dword, dword *, void *);

static wchar status_path[32768];

/* What follows the first word, by the rule for argv[0]: quotes group, and a backslash escapes nothing. */
static wchar *rest(wchar *line)
{
    int quoted = 0;
    for (; *line && (quoted || (*line != ' ' && *line != '\t')); line++)
        if (*line == '"') quoted = !quoted;
    while (*line == ' ' || *line == '\t') line++;
    return line;
}

/* Milliseconds; 0xffffffff, which is INFINITE, if there is no limit. */
static dword limit(void)
{
    wchar text[16];
    dword value = 0, count = GetEnvironmentVariableW(L"WINDLASS_RUN_LIMIT", text, 16);
    if (!count || count >= 16) return 0xffffffff;
    for (dword i = 0; i < count; i++) value = value * 10 + (text[i] - '0');
    return value;
}

/* Writes `KIND CODE` in hexadecimal: `e` the program ended, `t` it was stopped at the limit, `s` it could not start. */
static void report(char kind, dword code)
{
    char text[11] = { kind, ' ' };
    dword written;
    handle file;
    for (int i = 0; i < 8; i++) text[2 + i] = "0123456789abcdef"[(code >> (28 - 4 * i)) & 15];
    text[10] = '\n';
    file = CreateFileW(status_path, 0x40000000 /* GENERIC_WRITE */, 3, 0, 2 /* CREATE_ALWAYS */, 0x80, 0);
    if (file == (handle)-1) return;
    WriteFile(file, text, 11, &written, 0);
    CloseHandle(file);
}

void start(void)
{
    static struct startup startup;
    static struct limits limits;
    struct process child;
    dword code = 0, milliseconds = limit();
    handle job = CreateJobObjectW(0, 0);

    GetEnvironmentVariableW(L"WINDLASS_RUN_STATUS", status_path, 32768);
    SetEnvironmentVariableW(L"WINDLASS_RUN_STATUS", 0);
    SetEnvironmentVariableW(L"WINDLASS_RUN_LIMIT", 0);
    /* The program dies with the launcher, however that one dies: the server closes the job with its last handle. */
    limits.flags = 0x2000; /* JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE */
    SetInformationJobObject(job, 9 /* JobObjectExtendedLimitInformation */, &limits, sizeof limits);
    SetErrorMode(0x8003); /* no box for a critical error, a fault or a missing file; the program inherits it */
    GetStartupInfoW(&startup);
    if (!CreateProcessW(0, rest(GetCommandLineW()), 0, 0, 1, 4 /* CREATE_SUSPENDED */, 0, 0, &startup, &child)) {
        report('s', GetLastError());
        ExitProcess(127);
    }
    AssignProcessToJobObject(job, child.process);
    ResumeThread(child.thread);
    if (WaitForSingleObject(child.process, milliseconds) == 0x102 /* WAIT_TIMEOUT */) {
        TerminateJobObject(job, 124);
        report('t', 124);
        ExitProcess(124);
    }
    GetExitCodeProcess(child.process, &code);
    report('e', code);
    ExitProcess(code & 0xff);
}
