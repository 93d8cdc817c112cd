/* Wine lacks the exported keying material (RFC 5705) attributes. */
#include_next <schannel.h>
#ifndef SECPKG_ATTR_KEYING_MATERIAL_INFO
#define SECPKG_ATTR_KEYING_MATERIAL_INFO 106
#define SECPKG_ATTR_KEYING_MATERIAL 107
typedef struct _SecPkgContext_KeyingMaterialInfo {
    WORD cbLabel;
    LPSTR pszLabel;
    WORD cbContextValue;
    PBYTE pbContextValue;
    DWORD cbKeyingMaterial;
} SecPkgContext_KeyingMaterialInfo, *PSecPkgContext_KeyingMaterialInfo;
typedef struct _SecPkgContext_KeyingMaterial {
    DWORD cbKeyingMaterial;
    PBYTE pbKeyingMaterial;
} SecPkgContext_KeyingMaterial, *PSecPkgContext_KeyingMaterial;
#endif
