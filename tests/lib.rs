//! Whole-pipeline tests on tiny upstreams of our own. They need no network beyond what a bundle needs.
