//! The judgement over a finished bundle. A leaf: it depends on no other crate of this workspace and builds nothing.
