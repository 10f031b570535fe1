//! How much clients may move: quotas by user and client id (KIP-13, KIP-55, KIP-219, KIP-546).
//!
//! [`QuotaTable`] says which quota holds for whom; [`Limiter`] keeps what was moved and says how long to wait. A client that
//! moved more than its quota is not refused: it is not listened to until its debt is paid, so that over time it moves as
//! much as its quota says, whether or not it heeds the delay that it is told.

mod bucket;
mod limiter;
mod table;
#[cfg(test)]
mod tests;

pub use limiter::{Limiter, QuotaWindow};
pub use table::{QuotaKind, QuotaScope, QuotaTable};
