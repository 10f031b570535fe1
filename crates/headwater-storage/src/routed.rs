//! Two engines behind one store: Kafka's topics in `log.dirs`, native ones in directories of their own.
//!
//! Each engine has its metadata log and its partitions, of the same form. Callers see one [`MetadataStore`] and one
//! [`LogStore`]: images are merged, and what is asked of a topic goes where the topic is. The native directories come
//! into being with the first native topic, and Kafka never learns of them.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

mod creations;
mod images;
mod logs;
mod metadata;

pub use images::{ImageSink, MergedImages};
pub use logs::RoutedLogStore;
pub use metadata::RoutedMetadataStore;

use crate::{LocalLogStore, LocalMetadataStore, MetadataError, NativeRecords};

/// The native engine, open once it is needed.
pub struct NativeEngine {
    opened: OnceLock<NativeStores>,
    /// Held while it is opened; `true` once it may not be any more.
    closed: Mutex<bool>,
    open: OpenNative,
}

/// The native engine's stores.
#[derive(Debug)]
pub struct NativeStores {
    /// Topics and their configs.
    pub metadata: LocalMetadataStore,
    /// Records.
    pub logs: LocalLogStore<NativeRecords>,
}

type OpenNative = Box<dyn Fn() -> Result<NativeStores, MetadataError> + Send + Sync>;

impl NativeEngine {
    /// An engine that `open` opens, at the latest when the first native topic is created. It makes and locks the
    /// directories, and its metadata publishes to [`MergedImages::native`].
    pub fn new(open: impl Fn() -> Result<NativeStores, MetadataError> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { opened: OnceLock::new(), closed: Mutex::new(false), open: Box::new(open) })
    }

    /// The stores, if they are open.
    pub fn opened(&self) -> Option<&NativeStores> {
        self.opened.get()
    }

    /// The stores, opened when they were not. Blocks.
    ///
    /// # Errors
    /// Whatever keeps them from being opened, and [`MetadataError::Closed`].
    pub fn open_now(&self) -> Result<&NativeStores, MetadataError> {
        let closed = self.closed.lock();
        if let Some(stores) = self.opened.get() {
            return Ok(stores);
        }
        if *closed {
            return Err(MetadataError::Closed);
        }
        let stores = (self.open)()?;
        Ok(self.opened.get_or_init(|| stores))
    }

    /// Lets it be opened no more.
    fn stay_closed(&self) {
        *self.closed.lock() = true;
    }
}

impl std::fmt::Debug for NativeEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NativeEngine").field("opened", &self.opened).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
