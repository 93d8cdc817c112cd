//! Chance that is the same everywhere, so that a failure can be repeated.

/// Marsaglia's xorshift from a seed that is not 0.
pub struct Random(pub u64);

impl Random {
    /// The next number below a limit; 0 when there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}
