//! One file from one place: resumed where it was broken off, watched for stalls, limited in size, and believed only when
//! its hash is the pin's. It does not choose places and publishes nothing.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Result, bail};
use sha2::{Digest as _, Sha256};
use store::Pin;
use ureq::config::ConfigBuilder;
use ureq::http::{Response, StatusCode, header};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::typestate::AgentScope;
use ureq::{Agent, Body, ResponseExt};

use super::{Options, lock};
use crate::disk;
use crate::progress::{self, Bar};

/// The most bytes that a page of an index may have; the largest that are known have a tenth of it.
const PAGE_BYTES_MAX: u64 = 256 << 20;

/// Why a file did not come from a place.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// This place does not have it; another may.
    Place(String),
    /// It may work a moment later.
    Again(String),
    /// Nothing can be stored at all.
    DiskFull(DiskFull),
}

/// The file system with the state folder has no room.
#[derive(Debug)]
pub(crate) struct DiskFull {
    folder: PathBuf,
    file: String,
    needed: Option<u64>,
    free: u64,
}

impl fmt::Display for DiskFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needed = self.needed.map_or_else(
            || "more".to_owned(),
            |bytes| format!("{bytes} bytes ({})", progress::bytes(bytes)),
        );
        write!(
            f,
            "{}: disk is full: {} needs {needed}, {} bytes are free\n\nhint: free space there (`cargo xtask clean --work`), or export WINDLASS_STATE=/path/with/space",
            self.folder.display(),
            self.file,
            self.free
        )
    }
}

impl std::error::Error for DiskFull {}

/// The HTTP client, with what it learnt about hosts.
pub(crate) struct Client {
    agent: Agent,
    // Hosts to which no connection could be made: with twenty pins nobody wants to wait for each of them anew.
    dead: Mutex<BTreeSet<String>>,
    // Whether any hash is taken, because the right one is to be learnt.
    learning: bool,
}

/// A page of an index.
pub(crate) struct Page {
    /// Where it came from after redirects.
    pub(crate) address: String,
    pub(crate) content_type: String,
    pub(crate) text: String,
}

/// What every transfer has in common.
pub(crate) fn config(options: &Options) -> ConfigBuilder<AgentScope> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder()
        .tls_config(tls)
        .user_agent(concat!("windlass/", env!("CARGO_PKG_VERSION")))
        // A file is stored as it is; a server must not compress it on the way.
        .accept_encoding("identity")
        .timeout_resolve(Some(options.connect))
        .timeout_connect(Some(options.connect))
        .timeout_recv_response(Some(options.stall))
        .timeout_per_read(Some(options.stall))
}

impl Client {
    /// A client that honours the proxy variables and trusts what the machine trusts.
    pub(crate) fn new(options: &Options) -> Client {
        Client {
            agent: config(options).http_status_as_error(false).build().new_agent(),
            dead: Mutex::new(BTreeSet::new()),
            learning: false,
        }
    }

    /// A client that takes whatever a place sends, for a file whose hash nobody knows yet.
    pub(crate) fn learning(options: &Options) -> Client {
        Client {
            learning: true,
            ..Client::new(options)
        }
    }

    /// Reads a page of an index.
    pub(crate) fn page(&self, address: &str, accept: &str, options: &Options) -> Result<Page> {
        let result = self.attempts(address, options, || {
            let mut response = self.get(address, &[("accept", accept)])?;
            good(response.status(), address)?;
            let content_type = response.body().mime_type().unwrap_or_default().to_owned();
            let from = response.get_uri().to_string();
            let body = response.body_mut().with_config().limit(PAGE_BYTES_MAX).lossy_utf8(true);
            let text = body
                .read_to_string()
                .map_err(|error| Trouble::Again(format!("{}: {error}", shown(address))))?;
            Ok(Page {
                address: from,
                content_type,
                text,
            })
        });
        match result {
            Ok(page) => Ok(page),
            Err(Trouble::Place(reason) | Trouble::Again(reason)) => bail!("{reason}"),
            Err(Trouble::DiskFull(full)) => Err(full.into()),
        }
    }

    /// Brings a file into `partial`, going on where an earlier attempt stopped, and returns its size.
    pub(crate) fn download(
        &self,
        address: &str,
        pin: &Pin,
        partial: &Path,
        options: &Options,
        bar: &mut Bar,
    ) -> Result<u64, Trouble> {
        self.attempts(address, options, || self.attempt(address, pin, partial, options, bar))
    }

    fn attempts<T>(
        &self,
        address: &str,
        options: &Options,
        mut attempt: impl FnMut() -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut pause = options.pause;
        for left in (0..options.attempts.max(1)).rev() {
            match attempt() {
                Err(Trouble::Again(_)) if left > 0 && !self.is_dead(address) => {
                    std::thread::sleep(pause);
                    pause *= 2;
                }
                result => return result,
            }
        }
        Err(Trouble::Place(format!("{}: was not tried", shown(address))))
    }

    fn attempt(
        &self,
        address: &str,
        pin: &Pin,
        partial: &Path,
        options: &Options,
        bar: &mut Bar,
    ) -> Result<u64, Trouble> {
        let mut sink = Sink::resume(pin, partial, options)?;
        if sink.size > 0 && sink.is_wanted() {
            // A process was killed between the last byte and the rename.
            return sink.finish(address, self.learning);
        }
        let resumed = sink.size;
        let range = format!("bytes={resumed}-");
        let headers: &[(&str, &str)] = if resumed > 0 { &[("range", &range)] } else { &[] };
        let mut response = self.get(address, headers)?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT if starts_at(&response) == Some(resumed) => {}
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE => {
                sink.restart()?;
                return Err(Trouble::Again(format!(
                    "{}: does not go on at byte {resumed}",
                    shown(address)
                )));
            }
            // The server knows no ranges and sends all of it.
            StatusCode::OK if resumed > 0 => sink.restart()?,
            status => good(status, address)?,
        }
        let total = response.body().content_length().map(|rest| sink.size + rest);
        sink.expect(total, address)?;
        let mut body = response.body_mut().as_reader();
        let mut buffer = vec![0; 1 << 17];
        loop {
            match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => sink.write(&buffer[..count], address)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let done = sink.size;
                    return Err(Trouble::Again(format!(
                        "{}: broke off after {done} bytes: {error}",
                        shown(address)
                    )));
                }
            }
            bar.bytes(sink.size, total);
        }
        if let Some(total) = total.filter(|total| sink.size < *total) {
            let done = sink.size;
            return Err(Trouble::Again(format!(
                "{}: broke off after {done} of {total} bytes",
                shown(address)
            )));
        }
        match sink.finish(address, self.learning) {
            // The beginning may have come from another place, with other bytes.
            Err(Trouble::Place(reason)) if resumed > 0 => Err(Trouble::Again(reason)),
            result => result,
        }
    }

    /// Copies a file of this machine into `partial`, and returns its size.
    pub(crate) fn copy(&self, from: &Path, pin: &Pin, partial: &Path, options: &Options) -> Result<u64, Trouble> {
        let name = from.display().to_string();
        let unreadable = |error: io::Error| Trouble::Place(format!("{name}: {error}"));
        let mut file = File::open(from).map_err(unreadable)?;
        let mut sink = Sink::resume(pin, partial, options)?;
        sink.restart()?;
        sink.expect(file.metadata().ok().map(|meta| meta.len()), &name)?;
        let mut buffer = vec![0; 1 << 17];
        loop {
            match file.read(&mut buffer).map_err(unreadable)? {
                0 => return sink.finish(&name, self.learning),
                count => sink.write(&buffer[..count], &name)?,
            }
        }
    }

    fn get(&self, address: &str, headers: &[(&str, &str)]) -> Result<Response<Body>, Trouble> {
        if self.is_dead(address) {
            return Err(Trouble::Place(format!(
                "{}: its host could not be reached before",
                shown(address)
            )));
        }
        let mut request = self.agent.get(address);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.call().map_err(|error| {
            let reason = format!("{}: {error}", shown(address));
            match error {
                ureq::Error::HostNotFound
                | ureq::Error::ConnectionFailed
                | ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
                    lock(&self.dead).insert(host(address));
                    Trouble::Place(reason)
                }
                ureq::Error::Io(ref io) if io.kind() == io::ErrorKind::ConnectionRefused => {
                    lock(&self.dead).insert(host(address));
                    Trouble::Place(reason)
                }
                ureq::Error::BadUri(_) | ureq::Error::TooManyRedirects | ureq::Error::RedirectFailed => {
                    Trouble::Place(reason)
                }
                _ => Trouble::Again(reason),
            }
        })
    }

    fn is_dead(&self, address: &str) -> bool {
        lock(&self.dead).contains(&host(address))
    }
}

/// The file being written, with the hash of what is in it.
struct Sink<'a> {
    pin: &'a Pin,
    path: &'a Path,
    file: File,
    hasher: Sha256,
    size: u64,
    bytes_max: u64,
}

impl<'a> Sink<'a> {
    /// Opens the partial file and hashes what is in it already.
    fn resume(pin: &'a Pin, path: &'a Path, options: &Options) -> Result<Sink<'a>, Trouble> {
        let open = || -> io::Result<(File, Sha256, u64)> {
            let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
            let mut hasher = Sha256::new();
            let size = io::copy(&mut file, &mut hasher)?;
            Ok((file, hasher, size))
        };
        let (file, hasher, size) = open().map_err(|error| stored(pin, path, None, &error))?;
        Ok(Sink {
            pin,
            path,
            file,
            hasher,
            size,
            bytes_max: options.bytes_max,
        })
    }

    fn restart(&mut self) -> Result<(), Trouble> {
        self.file
            .set_len(0)
            .map_err(|error| stored(self.pin, self.path, None, &error))?;
        self.hasher = Sha256::new();
        self.size = 0;
        Ok(())
    }

    /// Refuses what is too large or has no room, before the first byte of it comes.
    fn expect(&self, total: Option<u64>, from: &str) -> Result<(), Trouble> {
        let Some(total) = total else {
            return Ok(());
        };
        self.limit(total, from)?;
        let rest = total.saturating_sub(self.size);
        match self.path.parent().and_then(disk::free) {
            Some(free) if free < rest => Err(Trouble::DiskFull(full(self.pin, self.path, Some(rest), free))),
            _ => Ok(()),
        }
    }

    fn limit(&self, size: u64, from: &str) -> Result<(), Trouble> {
        if size <= self.bytes_max {
            return Ok(());
        }
        let _ = fs::remove_file(self.path);
        Err(Trouble::Place(format!(
            "{}: is larger than {} bytes",
            shown(from),
            self.bytes_max
        )))
    }

    fn write(&mut self, bytes: &[u8], from: &str) -> Result<(), Trouble> {
        self.limit(self.size + bytes.len() as u64, from)?;
        self.file
            .write_all(bytes)
            .map_err(|error| stored(self.pin, self.path, None, &error))?;
        self.hasher.update(bytes);
        self.size += bytes.len() as u64;
        Ok(())
    }

    fn found(&self) -> String {
        self.hasher
            .clone()
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    fn is_wanted(&self) -> bool {
        self.found() == self.pin.sha256
    }

    /// Keeps the file if it is the wanted one, else drops it.
    fn finish(self, from: &str, learning: bool) -> Result<u64, Trouble> {
        let found = self.found();
        if learning || found == self.pin.sha256 {
            return Ok(self.size);
        }
        let _ = fs::remove_file(self.path);
        Err(Trouble::Place(format!(
            "{}: sha256 is {found}, wanted {} ({} bytes, dropped)",
            shown(from),
            self.pin.sha256,
            self.size
        )))
    }
}

/// What a failed write means. A full disk is told apart: no other place would help.
fn stored(pin: &Pin, path: &Path, needed: Option<u64>, error: &io::Error) -> Trouble {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Trouble::DiskFull(full(pin, path, needed, path.parent().and_then(disk::free).unwrap_or(0)))
        }
        _ => Trouble::Place(format!("{}: cannot be written: {error}", path.display())),
    }
}

fn full(pin: &Pin, path: &Path, needed: Option<u64>, free: u64) -> DiskFull {
    // sources/<sha256>/<file>: the folder that people know is two above.
    let folder = path.ancestors().nth(2).unwrap_or(path);
    DiskFull {
        folder: folder.to_owned(),
        file: pin.file.clone(),
        needed,
        free,
    }
}

fn good(status: StatusCode, address: &str) -> Result<(), Trouble> {
    let reason = || format!("{}: answered {status}", shown(address));
    match status {
        StatusCode::OK => Ok(()),
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS => Err(Trouble::Again(reason())),
        status if status.is_server_error() => Err(Trouble::Again(reason())),
        _ => Err(Trouble::Place(reason())),
    }
}

/// Where a partial answer begins: `Content-Range: bytes FIRST-LAST/TOTAL` (RFC 9110, 14.4).
fn starts_at(response: &Response<Body>) -> Option<u64> {
    let value = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    value.strip_prefix("bytes ")?.split_once('-')?.0.parse().ok()
}

fn host(address: &str) -> String {
    match url::Url::parse(address) {
        Ok(url) => format!("{}:{}", url.host_str().unwrap_or_default(), url.port().unwrap_or(0)),
        Err(_) => address.to_owned(),
    }
}

/// An address as it may be shown: a password in it stays with us.
pub(crate) fn shown(address: &str) -> String {
    match url::Url::parse(address) {
        Ok(mut url) if !url.username().is_empty() || url.password().is_some() => {
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.into()
        }
        _ => address.to_owned(),
    }
}
