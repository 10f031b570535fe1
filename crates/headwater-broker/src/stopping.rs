//! The signal that the broker is about to stop.

use tokio::sync::watch;

/// Gives the signal.
#[derive(Debug)]
pub(crate) struct Stopper(watch::Sender<bool>);

/// Receives the signal; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Stopping(watch::Receiver<bool>);

/// A signal and its receiver.
pub(crate) fn stopping() -> (Stopper, Stopping) {
    let (sender, receiver) = watch::channel(false);
    (Stopper(sender), Stopping(receiver))
}

impl Stopper {
    /// Tells everybody, once and for all.
    pub(crate) fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Stopping {
    /// Whether the broker is about to stop.
    pub(crate) fn has_begun(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until the broker begins to stop.
    pub(crate) async fn begun(&self) {
        // An error means that the sender is gone, and with it the broker.
        let _ = self.0.clone().wait_for(|stopping| *stopping).await;
    }
}
