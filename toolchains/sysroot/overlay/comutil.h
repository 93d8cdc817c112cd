/* Absent in Wine: the string class of COM. Without memory it is null where Microsoft's throws _com_error. */
#pragma once
#include <windows.h>
#include <oleauto.h>
class _bstr_t {
    BSTR string_;

    static BSTR copy(BSTR from) { return from ? SysAllocStringByteLen((const char *)from, SysStringByteLen(from)) : nullptr; }
    static BSTR widen(const char *from)
    {
        int length = from ? MultiByteToWideChar(CP_ACP, 0, from, -1, nullptr, 0) : 0;
        BSTR made = length > 0 ? SysAllocStringLen(nullptr, (UINT)length - 1) : nullptr;
        if (made)
            MultiByteToWideChar(CP_ACP, 0, from, -1, made, length);
        return made;
    }

public:
    _bstr_t() noexcept : string_(nullptr) {}
    _bstr_t(const _bstr_t &other) : string_(copy(other.string_)) {}
    _bstr_t(const wchar_t *from) : string_(SysAllocString(from)) {}
    _bstr_t(const char *from) : string_(widen(from)) {}
    _bstr_t(BSTR from, bool copied) : string_(copied ? copy(from) : from) {}
    ~_bstr_t() { SysFreeString(string_); }
    _bstr_t &operator=(const _bstr_t &other)
    {
        if (this != &other) {
            BSTR made = copy(other.string_);
            SysFreeString(string_);
            string_ = made;
        }
        return *this;
    }
    operator const wchar_t *() const noexcept { return string_; }
    operator wchar_t *() const noexcept { return string_; }
    bool operator!() const noexcept { return !string_; }
    unsigned int length() const noexcept { return SysStringLen(string_); }
    BSTR Detach()
    {
        BSTR given = string_;
        string_ = nullptr;
        return given;
    }
};
typedef _bstr_t bstr_t;
