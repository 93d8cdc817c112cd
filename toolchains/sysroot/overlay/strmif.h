/* Wine passes crossbar pins and TV standards as plain LONG and leaves their enumerators out. */
#pragma once
#include_next <strmif.h>

typedef enum tagPhysicalConnectorType {
    PhysConn_Video_Tuner = 1,
    PhysConn_Video_Composite,
    PhysConn_Video_SVideo,
    PhysConn_Video_RGB,
    PhysConn_Video_YRYBY,
    PhysConn_Video_SerialDigital,
    PhysConn_Video_ParallelDigital,
    PhysConn_Video_SCSI,
    PhysConn_Video_AUX,
    PhysConn_Video_1394,
    PhysConn_Video_USB,
    PhysConn_Video_VideoDecoder,
    PhysConn_Video_VideoEncoder,
    PhysConn_Video_SCART,
    PhysConn_Video_Black,
    PhysConn_Audio_Tuner = 0x1000,
    PhysConn_Audio_Line,
    PhysConn_Audio_Mic,
    PhysConn_Audio_AESDigital,
    PhysConn_Audio_SPDIFDigital,
    PhysConn_Audio_SCSI,
    PhysConn_Audio_AUX,
    PhysConn_Audio_1394,
    PhysConn_Audio_USB,
    PhysConn_Audio_AudioDecoder
} PhysicalConnectorType;

typedef enum tagAnalogVideoStandard {
    AnalogVideo_None = 0,
    AnalogVideo_NTSC_M = 0x1,
    AnalogVideo_NTSC_M_J = 0x2,
    AnalogVideo_NTSC_433 = 0x4,
    AnalogVideo_PAL_B = 0x10,
    AnalogVideo_PAL_D = 0x20,
    AnalogVideo_PAL_G = 0x40,
    AnalogVideo_PAL_H = 0x80,
    AnalogVideo_PAL_I = 0x100,
    AnalogVideo_PAL_M = 0x200,
    AnalogVideo_PAL_N = 0x400,
    AnalogVideo_PAL_60 = 0x800,
    AnalogVideo_SECAM_B = 0x1000,
    AnalogVideo_SECAM_D = 0x2000,
    AnalogVideo_SECAM_G = 0x4000,
    AnalogVideo_SECAM_H = 0x8000,
    AnalogVideo_SECAM_K = 0x10000,
    AnalogVideo_SECAM_K1 = 0x20000,
    AnalogVideo_SECAM_L = 0x40000,
    AnalogVideo_SECAM_L1 = 0x80000,
    AnalogVideo_PAL_N_COMBO = 0x100000
} AnalogVideoStandard;

/* Wine declares IAMAudioInputMixer only forward, and IAMTVAudio not at all. */
#ifndef __IAMAudioInputMixer_INTERFACE_DEFINED__
#define __IAMAudioInputMixer_INTERFACE_DEFINED__
EXTERN_C const IID DECLSPEC_SELECTANY IID_IAMAudioInputMixer =
    {0x54c39221, 0x8380, 0x11d0, {0xb3, 0xf0, 0x00, 0xaa, 0x00, 0x37, 0x61, 0xc5}};
#undef INTERFACE
#define INTERFACE IAMAudioInputMixer
#ifdef __cplusplus
MIDL_INTERFACE("54c39221-8380-11d0-b3f0-00aa003761c5") IAMAudioInputMixer : public IUnknown
#else
DECLARE_INTERFACE_(IAMAudioInputMixer, IUnknown)
#endif
{
    STDMETHOD(QueryInterface)(THIS_ REFIID, void **) PURE;
    STDMETHOD_(ULONG, AddRef)(THIS) PURE;
    STDMETHOD_(ULONG, Release)(THIS) PURE;
    STDMETHOD(put_Enable)(THIS_ BOOL) PURE;
    STDMETHOD(get_Enable)(THIS_ BOOL *) PURE;
    STDMETHOD(put_Mono)(THIS_ BOOL) PURE;
    STDMETHOD(get_Mono)(THIS_ BOOL *) PURE;
    STDMETHOD(put_MixLevel)(THIS_ double) PURE;
    STDMETHOD(get_MixLevel)(THIS_ double *) PURE;
    STDMETHOD(put_Pan)(THIS_ double) PURE;
    STDMETHOD(get_Pan)(THIS_ double *) PURE;
    STDMETHOD(put_Loudness)(THIS_ BOOL) PURE;
    STDMETHOD(get_Loudness)(THIS_ BOOL *) PURE;
    STDMETHOD(put_Treble)(THIS_ double) PURE;
    STDMETHOD(get_Treble)(THIS_ double *) PURE;
    STDMETHOD(get_TrebleRange)(THIS_ double *) PURE;
    STDMETHOD(put_Bass)(THIS_ double) PURE;
    STDMETHOD(get_Bass)(THIS_ double *) PURE;
    STDMETHOD(get_BassRange)(THIS_ double *) PURE;
};
#ifdef COBJMACROS
#define IAMAudioInputMixer_QueryInterface(p, a, b) (p)->lpVtbl->QueryInterface(p, a, b)
#define IAMAudioInputMixer_AddRef(p) (p)->lpVtbl->AddRef(p)
#define IAMAudioInputMixer_Release(p) (p)->lpVtbl->Release(p)
#endif
#endif

#ifndef __IAMTVAudio_INTERFACE_DEFINED__
#define __IAMTVAudio_INTERFACE_DEFINED__
EXTERN_C const IID DECLSPEC_SELECTANY IID_IAMTVAudio =
    {0x83ec1c30, 0x23d1, 0x11d1, {0x99, 0xe6, 0x00, 0xa0, 0xc9, 0x56, 0x02, 0x66}};
#undef INTERFACE
#define INTERFACE IAMTVAudio
#ifdef __cplusplus
MIDL_INTERFACE("83ec1c30-23d1-11d1-99e6-00a0c9560266") IAMTVAudio : public IUnknown
#else
DECLARE_INTERFACE_(IAMTVAudio, IUnknown)
#endif
{
    STDMETHOD(QueryInterface)(THIS_ REFIID, void **) PURE;
    STDMETHOD_(ULONG, AddRef)(THIS) PURE;
    STDMETHOD_(ULONG, Release)(THIS) PURE;
    STDMETHOD(GetHardwareSupportedTVAudioModes)(THIS_ LONG *) PURE;
    STDMETHOD(GetAvailableTVAudioModes)(THIS_ LONG *) PURE;
    STDMETHOD(get_TVAudioMode)(THIS_ LONG *) PURE;
    STDMETHOD(put_TVAudioMode)(THIS_ LONG) PURE;
    STDMETHOD(RegisterNotificationCallBack)(THIS_ IAMTunerNotification *, LONG) PURE;
    STDMETHOD(UnRegisterNotificationCallBack)(THIS_ IAMTunerNotification *) PURE;
};
#ifdef COBJMACROS
#define IAMTVAudio_QueryInterface(p, a, b) (p)->lpVtbl->QueryInterface(p, a, b)
#define IAMTVAudio_AddRef(p) (p)->lpVtbl->AddRef(p)
#define IAMTVAudio_Release(p) (p)->lpVtbl->Release(p)
#endif
#endif
#undef INTERFACE
