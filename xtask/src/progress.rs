//! What the user sees while something runs: bars on a terminal, plain lines elsewhere, nothing with `-q`. The only place
//! that draws. It decides nothing, and what it shows goes to standard error, so that results can be piped.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanDuration, MultiProgress, ProgressBar, ProgressStyle};

/// How the user wants to be told.
#[derive(Clone)]
pub struct Progress {
    bars: Option<MultiProgress>,
    quiet: bool,
}

impl Progress {
    /// Bars if standard error is a terminal, else lines; nothing if `quiet`.
    pub fn new(quiet: bool) -> Progress {
        let drawn = !quiet && std::io::stderr().is_terminal();
        Progress {
            bars: drawn.then(MultiProgress::new),
            quiet,
        }
    }

    /// Nothing at all.
    #[cfg(test)]
    pub fn none() -> Progress {
        Progress {
            bars: None,
            quiet: true,
        }
    }

    /// One finished fact, as cargo shows them: a right-aligned verb and the rest.
    pub fn say(&self, verb: &str, what: &str) {
        if self.quiet {
            return;
        }
        let line = format!("{verb:>12} {what}");
        match &self.bars {
            // A broken terminal is no reason to stop a build.
            Some(bars) => drop(bars.println(line)),
            None => drop(writeln!(std::io::stderr(), "{line}")),
        }
    }

    /// A download of `file`.
    pub fn download(&self, file: &str) -> Bar {
        let style = "{prefix:>12} {wide_msg} {bytes:>10}/{total_bytes:10} {binary_bytes_per_sec:>12} {eta:>4}";
        self.bar("Fetching", file, style)
    }

    /// A step that counts its parts, if its tools tell them.
    pub fn work(&self, verb: &str, what: &str) -> Bar {
        self.bar(verb, what, "{prefix:>12} {wide_msg} {elapsed}")
    }

    fn bar(&self, verb: &str, what: &str, style: &str) -> Bar {
        let bar = self.bars.as_ref().map(|bars| {
            let bar = bars.add(ProgressBar::no_length());
            bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(verb.to_owned());
            bar.set_message(what.to_owned());
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Bar {
            bar,
            told: Instant::now(),
            step: String::new(),
            what: what.to_owned(),
            verb: verb.to_owned(),
            progress: self.clone(),
        }
    }
}

/// One running thing.
pub struct Bar {
    bar: Option<ProgressBar>,
    told: Instant,
    step: String,
    what: String,
    verb: String,
    progress: Progress,
}

/// Without a terminal, a running thing says where it is this often.
const TELL_EVERY: Duration = Duration::from_secs(15);

impl Bar {
    /// Where a download stands, in bytes.
    pub fn bytes(&mut self, done: u64, total: Option<u64>) {
        if let Some(bar) = &self.bar {
            if let Some(total) = total {
                bar.set_length(total);
            }
            bar.set_position(done);
        } else if self.told.elapsed() > TELL_EVERY {
            self.told = Instant::now();
            let total = total.map_or_else(String::new, |total| format!(" of {}", HumanBytes(total)));
            self.progress
                .say(&self.verb, &format!("{}: {}{total}", self.what, HumanBytes(done)));
        }
    }

    /// What a step is doing now, in one line.
    pub fn doing(&mut self, now: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}: {now}", self.what));
        } else if self.told.elapsed() > TELL_EVERY {
            self.told = Instant::now();
            self.progress.say(&self.verb, &format!("{}: {now}", self.what));
        }
    }

    /// The step that begins; it is always told, for there are few.
    pub fn step(&mut self, step: &str) {
        self.step = step.to_owned();
        match &self.bar {
            Some(bar) => bar.set_message(format!("{}: {step}", self.what)),
            None => self.progress.say(&self.verb, step),
        }
    }

    /// How far that step is.
    pub fn count(&mut self, done: u64, total: u64) {
        let now = format!("{} [{done}/{total}]", self.step);
        self.doing(&now);
    }

    /// A line that stays, above the bars.
    pub fn say(&self, verb: &str, what: &str) {
        self.progress.say(verb, what);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    HumanBytes(count).to_string()
}

/// A time span for people, to the second.
pub fn duration(seconds: f64) -> String {
    match Duration::try_from_secs_f64(seconds) {
        Ok(span) if seconds >= 60.0 => HumanDuration(span).to_string(),
        _ => format!("{seconds:.1} s"),
    }
}
