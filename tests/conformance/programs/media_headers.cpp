// Headers of DirectShow, Media Foundation and the Windows Runtime: the numbers that the drivers of cameras know, and identities.
#include "check.h"
#include <dshow.h>
#include <dvdmedia.h>
#include <initguid.h>
#include <ks.h>
#include <ksmedia.h>
#include <mfapi.h>
#include <mfreadwrite.h>
#include <roapi.h>
#include <windows.foundation.h>
#include <winstring.h>

static void show(const GUID &guid) { printf("%08lx-%04x ", guid.Data1, guid.Data2); }

int main() {
    printf("%d %d %d %d\n", PhysConn_Video_Tuner, PhysConn_Video_Black, PhysConn_Audio_Tuner, PhysConn_Audio_AudioDecoder);
    printf("%x %x %x %x\n", AnalogVideo_NTSC_M, AnalogVideo_PAL_B, AnalogVideo_SECAM_L1, AnalogVideo_PAL_60);
    printf("%zu %zu\n", sizeof(VIDEOINFOHEADER2), sizeof(KSJACK_DESCRIPTION));
    using namespace ABI::Windows::Foundation;
    show(__uuidof(IReference<bool>));
    show(__uuidof(IReference<BYTE>));
    show(__uuidof(IMFSourceReader));
    show(KSDATAFORMAT_SUBTYPE_IEEE_FLOAT);
    printf("\n");
    // The functions of the Windows Runtime are in API sets.
    HSTRING text = nullptr;
    HRESULT made = WindowsCreateString(L"eight is", 8, &text);
    UINT32 length = 0;
    const wchar_t *raw = WindowsGetStringRawBuffer(text, &length);
    printf("%lx %u %ls\n", made, length, raw);
    WindowsDeleteString(text);
}
