//! A tiny HTTP server for the tests: one thread per connection, answers by a table, and ways to misbehave.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// What is answered for one path.
#[derive(Clone)]
pub enum Answer {
    /// A file; ranges are honoured.
    File(Vec<u8>),
    /// A file from a server that knows no ranges.
    Whole(Vec<u8>),
    /// A page of a content type.
    Page(&'static str, String),
    /// `200` with the full length, but the connection ends after so many bytes; ranges are honoured.
    Breaks(Vec<u8>, usize),
    /// So many bytes, then silence.
    Stalls(Vec<u8>, usize),
    /// `200` with a length and nothing after it.
    Promises(u64),
    /// A file, but only after somebody else has asked for something.
    Waits(Vec<u8>),
    /// A redirect.
    Moved(String),
    /// A status without a body.
    Status(u16),
}

/// A running server.
pub struct Server {
    pub address: String,
    asked: Arc<Mutex<Vec<String>>>,
    answers: Arc<Mutex<BTreeMap<String, Vec<Answer>>>>,
}

impl Server {
    pub fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let answers: Arc<Mutex<BTreeMap<String, Vec<Answer>>>> = Arc::default();
        let (to_ask, to_answer) = (asked.clone(), answers.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (asked, answers) = (to_ask.clone(), to_answer.clone());
                std::thread::spawn(move || drop(serve(stream, &asked, &answers)));
            }
        });
        Server {
            address,
            asked,
            answers,
        }
    }

    /// Answers in turn for one path; the last one stays.
    pub fn answers(&self, path: &str, answers: impl IntoIterator<Item = Answer>) {
        self.answers
            .lock()
            .unwrap()
            .insert(path.to_owned(), answers.into_iter().collect());
    }

    /// What was asked for, each as `PATH` or `PATH RANGE`.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn serve(
    mut stream: TcpStream,
    asked: &Mutex<Vec<String>>,
    answers: &Mutex<BTreeMap<String, Vec<Answer>>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut from = None;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(range) = line.to_ascii_lowercase().strip_prefix("range: bytes=") {
            from = range.trim().trim_end_matches('-').parse::<usize>().ok();
        }
    }
    asked.lock().unwrap().push(match from {
        Some(from) => format!("{path} {from}-"),
        None => path.clone(),
    });
    let answer = {
        let mut answers = answers.lock().unwrap();
        match answers.get_mut(&path) {
            Some(list) if list.len() > 1 => list.remove(0),
            Some(list) => list[0].clone(),
            None => Answer::Status(404),
        }
    };
    match answer {
        Answer::File(bytes) => send(&mut stream, &bytes, from, bytes.len()),
        Answer::Whole(bytes) => send(&mut stream, &bytes, None, bytes.len()),
        Answer::Breaks(bytes, count) => send(&mut stream, &bytes, from, count),
        Answer::Stalls(bytes, count) => {
            send(&mut stream, &bytes, from, count)?;
            std::thread::sleep(Duration::from_secs(30));
            Ok(())
        }
        Answer::Promises(length) => write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        ),
        Answer::Waits(bytes) => {
            let begin = Instant::now();
            while asked.lock().unwrap().len() < 2 && begin.elapsed() < Duration::from_secs(20) {
                std::thread::sleep(Duration::from_millis(2));
            }
            send(&mut stream, &bytes, from, bytes.len())
        }
        Answer::Page(kind, text) => write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
            text.len()
        ),
        Answer::Moved(to) => write!(
            stream,
            "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
        Answer::Status(status) => write!(
            stream,
            "HTTP/1.1 {status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        ),
    }
}

/// Sends `bytes` from `from` on, but of the file as a whole no more than `count` bytes.
fn send(stream: &mut TcpStream, bytes: &[u8], from: Option<usize>, count: usize) -> std::io::Result<()> {
    let total = bytes.len();
    match from {
        Some(from) if from >= total => {
            return write!(
                stream,
                "HTTP/1.1 416 X\r\nContent-Range: bytes */{total}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
        }
        Some(from) => write!(
            stream,
            "HTTP/1.1 206 Partial\r\nContent-Range: bytes {from}-{}/{total}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            total - 1,
            total - from
        )?,
        None => write!(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Length: {total}\r\nConnection: close\r\n\r\n"
        )?,
    }
    let from = from.unwrap_or(0);
    stream.write_all(&bytes[from..count.max(from)])?;
    stream.flush()
}
