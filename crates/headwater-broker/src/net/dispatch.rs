//! From a frame to a request under way.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use headwater_codec::{ApiKey, CorrelationId, RequestHeader, encode_response};

use super::ended::Ended;
use crate::{
    api::{Answering, Order, Reply, answer_bare_token, unsupported_api_versions},
    authentication::Admission,
    context::{Context, Peer, Services},
};

/// A request that is decoded and has not begun.
pub(super) struct Request {
    pub(super) api: ApiKey,
    pub(super) version: i16,
    pub(super) order: Order,
    pub(super) parks: bool,
    pub(super) answering: Answering,
}

/// Decodes a frame as one of the served requests.
///
/// # Errors
/// [`Ended`] when the connection cannot go on: the client would read any answer by a version that is not known here.
pub(super) fn dispatch(services: &Arc<Services>, peer: &Arc<Peer>, frame: Bytes) -> Result<Request, Ended> {
    let key = || RequestHeader::peek(&frame).ok().and_then(|header| ApiKey::from_code(header.api_key));
    match peer.authentication.admit(key) {
        Admission::Serve => {}
        Admission::Token => return Ok(token(services, peer, frame)),
        Admission::Close(reason) => return Err(Ended::Refused(reason)),
    }
    let header = RequestHeader::peek(&frame).map_err(Ended::Header)?;
    let api = services.apis.find(header.api_key).ok_or(Ended::UnknownApi { key: header.api_key })?;
    let version = header.api_version;
    services.metrics.request(header.api_key);
    if !api.served().contains(version) {
        if api.key != ApiKey::ApiVersions {
            return Err(Ended::UnsupportedVersion { api: api.key, version });
        }
        // KIP-511: answered in version 0, which every client can read, and the connection lives on.
        let response = unsupported_api_versions();
        let frame = encode_response(header.correlation_id, api.key, 0, &response, &mut BytesMut::new());
        let reply = frame.map(|frame| Reply::Frame { frame, slices: Vec::new() });
        return Ok(Request {
            api: api.key,
            version: 0,
            order: api.order,
            parks: false,
            answering: Box::pin(std::future::ready(reply)),
        });
    }
    let cx = Context::new(services.clone(), peer.clone(), version, header.correlation_id, header.client_id);
    match api.call(cx, frame) {
        Ok(answering) => Ok(Request { api: api.key, version, order: api.order, parks: api.parks, answering }),
        Err(source) => Err(Ended::Malformed { api: api.key, version, source }),
    }
}

/// A token that came bare counts as a SaslAuthenticate request of version 0.
fn token(services: &Arc<Services>, peer: &Arc<Peer>, token: Bytes) -> Request {
    let api = ApiKey::SaslAuthenticate;
    services.metrics.request(api.code());
    let cx = Context::new(services.clone(), peer.clone(), 0, CorrelationId::default(), None);
    let answering = Box::pin(async move { Ok(answer_bare_token(&cx, token).await) });
    Request { api, version: 0, order: Order::Alone, parks: false, answering }
}
