//! Where ffmpeg was installed, and what its installed headers say. Both are empty when no target was asked for.

/// The prefix.
pub const PREFIX: &str = env!("KIT_PREFIX");

/// The version that was built.
pub const VERSION: &str = env!("KIT_VERSION");

/// Constants of the installed headers, under upstream's names.
#[allow(missing_docs, reason = "upstream's headers document them")]
pub mod headers {
    include!(concat!(env!("OUT_DIR"), "/facts.rs"));
}

#[cfg(all(test, kit_built))]
mod tests {
    use std::path::Path;

    use super::{VERSION, headers};

    #[test]
    fn headers_are_of_the_pinned_version() {
        assert_eq!(headers::FFMPEG_VERSION.to_str(), Ok(VERSION));
    }

    #[test]
    fn libraries_are_promised_under_the_numbers_of_their_headers() {
        let component = kit::Component::load(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
        let (windows, linux) = (component.ships.windows.unwrap(), component.ships.linux.unwrap());
        let stated = [
            ("avcodec", headers::LIBAVCODEC_VERSION_MAJOR),
            ("avdevice", headers::LIBAVDEVICE_VERSION_MAJOR),
            ("avfilter", headers::LIBAVFILTER_VERSION_MAJOR),
            ("avformat", headers::LIBAVFORMAT_VERSION_MAJOR),
            ("avutil", headers::LIBAVUTIL_VERSION_MAJOR),
            ("swresample", headers::LIBSWRESAMPLE_VERSION_MAJOR),
            ("swscale", headers::LIBSWSCALE_VERSION_MAJOR),
        ];
        assert_eq!(windows.libs, stated.map(|(name, major)| format!("{name}-{major}")));
        assert_eq!(linux.libs, stated.map(|(name, major)| format!("lib{name}.so.{major}")));
    }
}
