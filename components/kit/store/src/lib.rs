//! The state folder: sources, prefixes named by content, and safe unpacking. It downloads and builds nothing.
