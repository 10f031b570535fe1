//! Native records byte for byte, and what a reader makes of damaged ones.

mod native {
    mod damage;
    mod golden;
    mod header_block;
    mod old_reader;
    mod properties;
}
