/* Wine lacks BCRYPT_SUCCESS, the success test for NTSTATUS results. */
#include_next <bcrypt.h>
#ifndef BCRYPT_SUCCESS
#define BCRYPT_SUCCESS(status) ((NTSTATUS)(status) >= 0)
#endif
