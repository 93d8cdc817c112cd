//! av: its own backend, setuptools with Cython. The wheel carries FFmpeg's libraries, so that it works wherever it is installed from
//! the store, without the bundle around it.

use anyhow::{Context, Result, ensure};
use backend::Backend;
use kit::Cx;

/// What the carried libraries are under; the variant under the GPL is not carried.
const FFMPEG_LICENSE: &str = "LGPL-2.1-or-later";

fn main() {
    kit::component(build)
}

fn build(cx: &Cx) -> Result<()> {
    let ffmpeg = &cx.deps().get("ffmpeg").context("ffmpeg is not among the needs")?.root;
    ensure!(
        !ffmpeg.join("share/licenses/ffmpeg/COPYING.GPLv2").exists(),
        "ffmpeg is built under the GPL, and the wheel says {FFMPEG_LICENSE} of it\n\nhint: build the wheel without --variant ffmpeg=gpl"
    );
    Backend::new(cx)
        // By folder, for there is no pkg-config that would find modules of Windows.
        .setting("--build-option", format!("--ffmpeg-dir={}", ffmpeg.display()))
        .carry("ffmpeg", "av", FFMPEG_LICENSE)
        .install()
}
