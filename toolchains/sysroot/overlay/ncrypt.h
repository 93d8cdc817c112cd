/* Wine lacks the key storage names and flags and the functions that delete or enumerate keys. */
#pragma once
#include <windef.h>
#include <bcrypt.h>
#include_next <ncrypt.h>

#ifndef MS_KEY_STORAGE_PROVIDER
#define MS_KEY_STORAGE_PROVIDER L"Microsoft Software Key Storage Provider"
#endif
#ifndef MS_PLATFORM_CRYPTO_PROVIDER
#define MS_PLATFORM_CRYPTO_PROVIDER L"Microsoft Platform Crypto Provider"
#endif

/* Flags of key creation, import and opening. */
#ifndef NCRYPT_MACHINE_KEY_FLAG
#define NCRYPT_MACHINE_KEY_FLAG 0x00000020
#endif
#ifndef NCRYPT_OVERWRITE_KEY_FLAG
#define NCRYPT_OVERWRITE_KEY_FLAG 0x00000080
#endif
#ifndef NCRYPT_WRITE_KEY_TO_LEGACY_STORE_FLAG
#define NCRYPT_WRITE_KEY_TO_LEGACY_STORE_FLAG 0x00000200
#endif
#ifndef NCRYPT_DO_NOT_FINALIZE_FLAG
#define NCRYPT_DO_NOT_FINALIZE_FLAG 0x00000400
#endif
#ifndef NCRYPT_PERSIST_FLAG
#define NCRYPT_PERSIST_FLAG 0x80000000
#endif

/* Blob types. */
#ifndef NCRYPT_PKCS7_ENVELOPE_BLOB
#define NCRYPT_PKCS7_ENVELOPE_BLOB L"PKCS7_ENVELOPE"
#endif
#ifndef NCRYPT_PKCS8_PRIVATE_KEY_BLOB
#define NCRYPT_PKCS8_PRIVATE_KEY_BLOB L"PKCS8_PRIVATEKEY"
#endif
#ifndef NCRYPT_OPAQUETRANSPORT_BLOB
#define NCRYPT_OPAQUETRANSPORT_BLOB L"OpaqueTransport"
#endif

/* Buffer descriptor version and the buffer type that carries a key's name. */
#ifndef NCRYPTBUFFER_VERSION
#define NCRYPTBUFFER_VERSION 0
#endif
#ifndef NCRYPTBUFFER_PKCS_KEY_NAME
#define NCRYPTBUFFER_PKCS_KEY_NAME 45
#endif

#ifdef __cplusplus
extern "C" {
#endif
SECURITY_STATUS WINAPI NCryptDeleteKey(NCRYPT_KEY_HANDLE key, DWORD flags);
SECURITY_STATUS WINAPI NCryptFreeBuffer(PVOID buffer);
#ifdef __cplusplus
}
#endif
