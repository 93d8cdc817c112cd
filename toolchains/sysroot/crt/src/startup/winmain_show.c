// The fourth argument of `WinMain`: how the parent asked the window to be shown ("WinMain function", Windows documentation).
#include "../crt.h"

int __cdecl __windlass_winmain_show(void) {
    STARTUPINFOW info;
    GetStartupInfoW(&info);
    return (info.dwFlags & STARTF_USESHOWWINDOW) ? info.wShowWindow : SW_SHOWDEFAULT;
}
