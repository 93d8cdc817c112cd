//! What every recipe (`build.rs`) calls. It knows no upstream by name.
