//! Fetching against mirrors on this machine: every way a transfer can go, and every error text that a user can meet.

use std::path::Path;
use std::time::{Duration, Instant};

use sha2::{Digest as _, Sha256};
use store::{Pin, State};

use super::server::{Answer, Server};
use super::*;
use crate::progress::Progress;

fn content() -> Vec<u8> {
    (0..200_000_u32).flat_map(|n| (n * 7919).to_le_bytes()).collect()
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A pin of `content()` at `places`, which are lines of TOML.
fn pin(places: &str) -> Pin {
    Pin::parse(&format!(
        "file = 'a-1.tar.gz'\nsha256 = '{}'\n{places}",
        hash(&content())
    ))
    .unwrap()
}

fn settings(dir: &Path) -> Settings {
    Settings {
        debian_mirror: None,
        apt: dir.join("no-apt"),
        pip_index: None,
        pip_extra: None,
        pip_links: None,
        ask_pip: false,
        cargo: "cargo".into(),
        cargo_home: Some(dir.join("no-cargo")),
    }
}

fn options() -> Options {
    Options {
        attempts: 3,
        pause: Duration::from_millis(5),
        connect: Duration::from_secs(5),
        stall: Duration::from_millis(400),
        ..Options::default()
    }
}

struct Site {
    dir: tempfile::TempDir,
    server: Server,
    state: State,
    settings: Settings,
    options: Options,
}

impl Site {
    fn new() -> Site {
        let dir = tempfile::tempdir().unwrap();
        Site {
            server: Server::start(),
            state: State::at(&dir.path().join("state")),
            settings: settings(dir.path()),
            options: options(),
            dir,
        }
    }

    fn fetch(&self, pin: &Pin) -> Result<Summary> {
        fetch(
            &self.state,
            std::slice::from_ref(pin),
            &self.settings,
            &self.options,
            &Progress::none(),
        )
    }

    /// Fetches, and checks that exactly the wanted bytes are there and no partial file is.
    fn brings(&self, pin: &Pin) {
        let summary = self.fetch(pin).unwrap();
        assert_eq!((summary.fetched, summary.bytes), (1, content().len() as u64));
        let path = self.state.source_path(pin);
        assert!(std::fs::read(&path).unwrap() == content(), "content differs");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    fn url(&self, path: &str) -> String {
        format!("'{}{path}'", self.server.address)
    }

    fn partial(&self, pin: &Pin, bytes: &[u8]) {
        let path = self.state.source_path(pin);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path.with_file_name("a-1.tar.gz.partial"), bytes).unwrap();
    }

    /// The error with this run's address replaced.
    fn error(&self, pin: &Pin) -> String {
        let text = format!("{:#}", self.fetch(pin).unwrap_err());
        text.replace(&self.server.address, "http://mirror")
            .replace(&self.dir.path().display().to_string(), "DIR")
    }
}

#[test]
fn a_second_fetch_asks_nobody() {
    let site = Site::new();
    site.server.answers("/a", [Answer::File(content())]);
    let pin = pin(&format!("url = [{}]", site.url("/a")));
    site.brings(&pin);
    assert_eq!(site.fetch(&pin).unwrap().present, 1);
    assert_eq!(site.server.asked(), ["/a"]);
}

#[test]
fn a_broken_transfer_goes_on_where_it_stopped() {
    let site = Site::new();
    site.server
        .answers("/a", [Answer::Breaks(content(), 300_000), Answer::File(content())]);
    site.brings(&pin(&format!("url = [{}]", site.url("/a"))));
    assert_eq!(site.server.asked(), ["/a", "/a 300000-"]);
}

#[test]
fn a_stalled_transfer_is_broken_off_and_goes_on() {
    let site = Site::new();
    site.server
        .answers("/a", [Answer::Stalls(content(), 300_000), Answer::File(content())]);
    site.brings(&pin(&format!("url = [{}]", site.url("/a"))));
    assert_eq!(site.server.asked(), ["/a", "/a 300000-"]);
}

#[test]
fn what_a_killed_process_left_is_used_even_if_it_is_all() {
    let site = Site::new();
    site.server.answers("/a", [Answer::File(content())]);
    let pin = pin(&format!("url = [{}]", site.url("/a")));
    site.partial(&pin, &content()[..1000]);
    site.brings(&pin);
    assert_eq!(site.server.asked(), ["/a 1000-"]);
    std::fs::remove_file(site.state.source_path(&pin)).unwrap();
    site.partial(&pin, &content());
    site.brings(&pin);
    assert_eq!(site.server.asked().len(), 1);
}

#[test]
fn wrong_bytes_of_an_earlier_attempt_cost_one_more_transfer_and_nothing_else() {
    let site = Site::new();
    site.server.answers("/a", [Answer::File(content())]);
    let pin = pin(&format!("url = [{}]", site.url("/a")));
    site.partial(&pin, b"these bytes are of something else");
    site.brings(&pin);
    assert_eq!(site.server.asked(), ["/a 33-", "/a"]);
}

#[test]
fn a_partial_file_longer_than_the_real_one_is_dropped() {
    let site = Site::new();
    site.server.answers("/a", [Answer::File(content())]);
    let pin = pin(&format!("url = [{}]", site.url("/a")));
    site.partial(&pin, &[content(), vec![0; 5]].concat());
    site.brings(&pin);
}

#[test]
fn a_server_without_ranges_sends_all_of_it_again() {
    let site = Site::new();
    site.server.answers("/a", [Answer::Whole(content())]);
    let pin = pin(&format!("url = [{}]", site.url("/a")));
    site.partial(&pin, &content()[..1000]);
    site.brings(&pin);
    assert_eq!(site.server.asked(), ["/a 1000-"]);
}

#[test]
fn redirects_are_followed_and_a_busy_server_is_asked_again() {
    let site = Site::new();
    site.server.answers(
        "/a",
        [Answer::Status(503), Answer::Moved(format!("{}/b", site.server.address))],
    );
    site.server.answers("/b", [Answer::File(content())]);
    site.brings(&pin(&format!("url = [{}]", site.url("/a"))));
    assert_eq!(site.server.asked(), ["/a", "/a", "/b"]);
}

#[test]
fn the_next_place_is_asked_when_one_has_nothing_or_something_else() {
    let mut site = Site::new();
    site.settings.debian_mirror = Some(format!("{}/debian/", site.server.address));
    site.server.answers("/bad", [Answer::File(b"something else".to_vec())]);
    site.server
        .answers("/debian/pool/main/a/a/a_1.orig.tar.gz", [Answer::File(content())]);
    let pin = pin(&format!(
        "url = ['http://127.0.0.1:1/refused', {}, {}]\ndebian = 'pool/main/a/a/a_1.orig.tar.gz'",
        site.url("/none"),
        site.url("/bad")
    ));
    site.brings(&pin);
    assert_eq!(
        site.server.asked(),
        ["/none", "/bad", "/debian/pool/main/a/a/a_1.orig.tar.gz"]
    );
}

#[test]
fn a_failure_names_every_place_with_its_reason() {
    let site = Site::new();
    site.server.answers("/bad", [Answer::File(b"something else".to_vec())]);
    site.server.answers("/short", [Answer::Breaks(content(), 1000)]);
    let pin = pin(&format!(
        "url = [{}, {}]\ndebian = 'pool/main/a/a/a_1.orig.tar.gz'",
        site.url("/none"),
        site.url("/bad"),
    ));
    let (found, wanted) = (hash(b"something else"), hash(&content()));
    assert_eq!(
        site.error(&pin),
        format!(
            "a-1.tar.gz: could not be fetched from any of its places\n  \
             http://mirror/none: answered 404 Not Found\n  \
             http://mirror/bad: sha256 is {found}, wanted {wanted} (14 bytes, dropped)\n  \
             Debian pool/main/a/a/a_1.orig.tar.gz: no Debian archive in DIR/no-apt\n  \
             hint: export WINDLASS_DEBIAN_MIRROR=ADDRESS of a folder that has pool/\n\n\
             hint: put the file at DIR/state/sources/{wanted}/a-1.tar.gz by hand, or name a mirror in WINDLASS_DEBIAN_MIRROR, PIP_INDEX_URL or cargo's settings"
        )
    );
    assert!(!site.state.source_path(&pin).exists());
    assert_eq!(
        std::fs::read_dir(site.state.source_path(&pin).parent().unwrap())
            .unwrap()
            .count(),
        0,
        "the bad partial file is still there"
    );
}

#[test]
fn a_file_without_end_is_cut_at_the_limit() {
    let mut site = Site::new();
    site.options.bytes_max = 1000;
    site.server.answers("/a", [Answer::File(content())]);
    let pin = pin(&format!("url = [{}]", site.url("/a")));
    let error = site.error(&pin);
    assert!(error.contains("http://mirror/a: is larger than 1000 bytes"), "{error}");
}

#[test]
fn python_indexes_are_read_in_html_and_in_json() {
    let html = "<!DOCTYPE html><a href=\"../../files/a%2D1.tar.gz#sha256=0\">a-1.tar.gz</a>";
    let json = r#"{"files": [{"filename": "a-1.tar.gz", "url": "/files/a-1.tar.gz", "hashes": {}}]}"#;
    for (kind, page) in [
        ("text/html; charset=utf-8", html),
        ("application/vnd.pypi.simple.v1+json", json),
    ] {
        let mut site = Site::new();
        // The first index does not have the project at all.
        site.settings.pip_index = Some(format!("{}/empty", site.server.address));
        site.settings.pip_extra = Some(format!("{}/simple/", site.server.address));
        site.server.answers("/simple/a/", [Answer::Page(kind, page.to_owned())]);
        for path in ["/files/a-1.tar.gz", "/files/a%2D1.tar.gz"] {
            site.server.answers(path, [Answer::File(content())]);
        }
        site.brings(&pin("pypi = { project = 'a', version = '1' }"));
        assert_eq!(site.server.asked()[..2], ["/empty/a/", "/simple/a/"]);
    }
}

#[test]
fn a_folder_of_wheels_needs_no_network() {
    let mut site = Site::new();
    let folder = site.dir.path().join("wheels");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a-1.tar.gz"), content()).unwrap();
    site.settings.pip_links = Some(folder.display().to_string());
    site.brings(&pin("pypi = { project = 'a', version = '1' }"));
    assert!(site.server.asked().is_empty());
}

#[test]
fn offline_names_what_is_missing_and_what_brings_it() {
    let mut site = Site::new();
    site.options.offline = true;
    let pin = pin(&format!("url = [{}]", site.url("/a")));
    assert_eq!(
        site.error(&pin),
        "a-1.tar.gz: not fetched, and --offline forbids it\n\nhint: run the same command without --offline, or `cargo xtask fetch` where there is a network"
    );
    assert!(site.server.asked().is_empty());
}

#[test]
fn two_fetches_at_once_share_one_transfer() {
    let site = Site::new();
    site.server.answers("/a", [Answer::File(content())]);
    let pin = pin(&format!("url = [{}]", site.url("/a")));
    let fetched: usize = std::thread::scope(|scope| {
        let both: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| site.fetch(&pin).unwrap().fetched))
            .collect();
        both.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!(fetched, 1);
    assert_eq!(site.server.asked(), ["/a"]);
}

#[test]
fn transfers_run_side_by_side() {
    let mut site = Site::new();
    site.options.stall = Duration::from_secs(10);
    // Each is answered when the other was asked for, which one after the other never happens.
    let pins = ["/a", "/b"].map(|path| {
        site.server.answers(path, [Answer::Waits(path.into())]);
        Pin {
            sha256: hash(path.as_bytes()),
            ..pin(&format!("url = [{}]", site.url(path)))
        }
    });
    let begin = Instant::now();
    let summary = fetch(&site.state, &pins, &site.settings, &site.options, &Progress::none());
    assert_eq!(summary.unwrap().fetched, 2);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
}

#[test]
fn a_full_disk_ends_every_transfer_with_one_error() {
    let mut site = Site::new();
    site.options.bytes_max = u64::MAX;
    let pins: Vec<Pin> = (0..9)
        .map(|number| {
            let path = format!("/{number}");
            site.server.answers(&path, [Answer::Promises(1 << 60)]);
            Pin {
                file: format!("{number}.tar.gz"),
                ..pin(&format!("url = [{}]", site.url(&path)))
            }
        })
        .collect();
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let result = fetch(&site.state, &pins, &site.settings, &site.options, &Progress::none());
        done.send(format!("{:#}", result.unwrap_err())).unwrap();
    });
    let error = wait.recv_timeout(Duration::from_secs(30)).expect("the fetch ends");
    assert!(error.contains("disk is full"), "{error}");
    assert!(error.contains("needs 1152921504606846976 bytes"), "{error}");
    assert_eq!(error.matches("hint: ").count(), 1, "{error}");
}

#[test]
fn a_password_in_an_address_is_not_shown() {
    assert_eq!(
        download::shown("https://me:secret@mirror.example/simple/"),
        "https://mirror.example/simple/"
    );
}
