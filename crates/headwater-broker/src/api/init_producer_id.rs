//! InitProducerId (key 22, versions 0-5). Gives an idempotent producer its id (KIP-98, KIP-360).
//!
//! - Without a transactional id: a new id with epoch 0, never given before, whatever the transaction timeout says.
//! - An empty transactional id, or only one of producer id and epoch: INVALID_REQUEST (42).
//! - A transactional id: UNSUPPORTED_VERSION (35) at once, until transactions are served.

use headwater_codec::{
    ErrorCode, ProducerEpoch, ProducerId,
    messages::init_producer_id::{InitProducerIdRequest, InitProducerIdResponse},
};

use crate::{
    context::Context,
    error_code,
    security::{Operation, Resource},
};

pub(super) async fn handle(cx: &Context, request: InitProducerIdRequest) -> InitProducerIdResponse {
    match init(cx, &request).await {
        Ok(producer_id) => InitProducerIdResponse {
            producer_id,
            producer_epoch: ProducerEpoch::new(0),
            ..Default::default()
        },
        Err(error_code) => InitProducerIdResponse {
            error_code,
            producer_id: ProducerId::NONE,
            producer_epoch: ProducerEpoch::NONE,
            ..Default::default()
        },
    }
}

async fn init(cx: &Context, request: &InitProducerIdRequest) -> Result<ProducerId, ErrorCode> {
    if let Some(transactional_id) = &request.transactional_id {
        cx.authorize(Operation::Write, Resource::TransactionalId(transactional_id))?;
    } else {
        cx.authorize(Operation::IdempotentWrite, Resource::Cluster)?;
    }
    let knows_id = request.producer_id != ProducerId::NONE;
    let knows_epoch = request.producer_epoch != ProducerEpoch::NONE;
    if knows_id != knows_epoch {
        return Err(ErrorCode::InvalidRequest);
    }
    match &request.transactional_id {
        None => cx.producer_ids().next().await.map_err(|error| {
            tracing::error!(%error, "no producer id could be given");
            error_code::metadata(&error)
        }),
        Some(empty) if empty.as_str().is_empty() => Err(ErrorCode::InvalidRequest),
        Some(_) => Err(ErrorCode::UnsupportedVersion),
    }
}
