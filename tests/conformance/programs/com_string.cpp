// COM's string class: from narrow and wide text, copies that are independent, zero characters inside, and giving the string away.
#include "check.h"
#include <comdef.h>

int main() {
    bstr_t wide(L"ROOT\\CIMV2"), narrow("WQL"), none, null(static_cast<const wchar_t *>(nullptr));
    printf("%u %u %u\n", wide.length(), narrow.length(), none.length());
    CHECK(wcscmp(wide, L"ROOT\\CIMV2") == 0 && wcscmp(narrow, L"WQL") == 0 && !none && !null);
    bstr_t copy(wide);
    copy = copy;
    CHECK(static_cast<wchar_t *>(copy) != static_cast<wchar_t *>(wide) && wcscmp(copy, wide) == 0);
    static_cast<wchar_t *>(copy)[0] = L'r';
    CHECK(static_cast<wchar_t *>(wide)[0] == L'R');
    bstr_t inside(SysAllocStringLen(L"a\0b", 3), false);
    narrow = inside;
    printf("%u %d\n", narrow.length(), static_cast<wchar_t *>(narrow)[2]);
    BSTR given = narrow.Detach();
    printf("%u %u\n", SysStringLen(given), narrow.length());
    SysFreeString(given);
    return 0;
}
