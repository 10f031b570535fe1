//! Batches become native records and batches again, and nothing is lost in between.

mod conversion {
    mod bounds;
    mod gaps;
    mod given;
    mod properties;
    mod runs;
}
