/* One program with many endings, for the tests of the runners. It stands on kernel32 alone, so that it builds before
   there is a system root. The first letter of its first argument says what it does. */

typedef unsigned short wchar;
typedef unsigned long dword;
typedef void *handle;
#define IMPORT __declspec(dllimport)
IMPORT __declspec(noreturn) void ExitProcess(unsigned);
IMPORT wchar *GetCommandLineW(void);
IMPORT handle GetStdHandle(dword);
IMPORT int IsProcessorFeaturePresent(dword);
IMPORT int ReadFile(handle, void *, dword, dword *, void *);
IMPORT int WriteFile(handle, const void *, dword, dword *, void *);
IMPORT handle CreateThread(void *, unsigned long long, dword (*)(void *), void *, dword, dword *);
IMPORT void Sleep(dword);
IMPORT dword GetEnvironmentVariableW(const wchar *, wchar *, dword);

static wchar value[4096];
static char bytes[65536];
static volatile dword turns;

static dword spin(void *unused)
{
    for (;;) turns++;
    return 0;
}

static void put(const void *text, dword count)
{
    dword written;
    WriteFile(GetStdHandle((dword)-11), text, count, &written, 0);
}

static unsigned hex(const wchar *text)
{
    unsigned number = 0;
    for (; *text && *text != '"' && *text != ' '; text++)
        number = number * 16 + (*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return number;
}

void start(void)
{
    wchar *line = GetCommandLineW();
    int quoted = 0;
    dword count;
    for (; *line && (quoted || *line != ' '); line++)
        if (*line == '"') quoted = !quoted;
    while (*line == ' ') line++;
    switch (*line) {
    case 'e': ExitProcess(hex(line + 1));
    case 'f': *(volatile int *)16 = 1; break;
    case 'p': ExitProcess(IsProcessorFeaturePresent(hex(line + 1)));
    case 'h': put("hung", 4); Sleep(0xffffffff); break;
    case 'b':
        while (ReadFile(GetStdHandle((dword)-10), bytes, sizeof bytes, &count, 0) && count) put(bytes, count);
        ExitProcess(7);
    case 'a': /* the command line as it came, in UTF-16 */
        for (count = 0; line[count]; count++) {}
        put(line, 2 * count);
        ExitProcess(0);
    case 't':
        CreateThread(0, 0, spin, 0, 0, 0);
        while (turns < 1000) Sleep(1);
        put("spun", 4);
        ExitProcess(hex(line + 1));
    case 'v':
        put(value, 2 * GetEnvironmentVariableW(L"PROBE", value, 4096));
        ExitProcess(GetEnvironmentVariableW(L"HIDDEN", value, 4096) ? 1 : 0);
    }
    ExitProcess(99);
}
