//! ApiVersions (key 18, versions 0-5). Tells which APIs and versions are served (KIP-35, KIP-511, KIP-584, KIP-1242).
//!
//! - The answer is the table of served APIs joined with what the codec advertises, so the two cannot disagree. Produce is
//!   advertised from version 0, because librdkafka up to 2.8 stops compressing otherwise; versions 0-2 are not served.
//! - A version that is not served is answered in version 0 with UNSUPPORTED_VERSION (35) and this API's own range; that
//!   happens in dispatch, because the request cannot be decoded.
//! - From version 3 on the client names its software; what no name can be gets INVALID_REQUEST (42).
//! - From version 5 on the client may say which cluster and node it expects; others get REBOOTSTRAP_REQUIRED (129).
//! - Of the finalized features only those are told that are served. Clients change their behaviour by them.

use headwater_codec::{
    ApiKey, ErrorCode, MessageSchema, Str,
    messages::api_versions::{
        ApiVersion, ApiVersionsRequest, ApiVersionsResponse, FinalizedFeatureKey, SupportedFeatureKey,
    },
};

use crate::{api::find, context::Context};

pub(super) async fn handle(cx: &Context, request: ApiVersionsRequest) -> ApiVersionsResponse {
    let refused = |error_code| ApiVersionsResponse { error_code, ..Default::default() };
    if cx.api_version() >= SOFTWARE_NAME_SINCE
        && !(is_software_name(&request.client_software_name)
            && is_software_name(&request.client_software_version))
    {
        return refused(ErrorCode::InvalidRequest);
    }
    let other_cluster = request.cluster_id.is_some_and(|cluster_id| cluster_id != *cx.cluster().cluster_id());
    let other_node = request.node_id >= 0 && request.node_id != cx.cluster().node_id().get();
    if other_cluster || other_node {
        return refused(ErrorCode::RebootstrapRequired);
    }
    let image = cx.topics().image();
    let level = image.feature(METADATA_VERSION);
    let name = || Str::from_static(METADATA_VERSION);
    ApiVersionsResponse {
        api_keys: cx.served_apis().iter().filter_map(|api| range(api.key, api.schema)).collect(),
        supported_features: vec![SupportedFeatureKey {
            name: name(),
            min_version: METADATA_VERSION_MIN,
            max_version: METADATA_VERSION_MAX.max(level),
            ..Default::default()
        }],
        finalized_features_epoch: image.end_offset().get().saturating_sub(1),
        finalized_features: vec![FinalizedFeatureKey {
            name: name(),
            max_version_level: level,
            min_version_level: level,
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// The answer to a version that is not served, to be sent in version 0: the range to choose from.
pub(crate) fn unsupported() -> ApiVersionsResponse {
    let own = find(ApiKey::ApiVersions.code()).and_then(|api| range(api.key, api.schema));
    ApiVersionsResponse {
        error_code: ErrorCode::UnsupportedVersion,
        api_keys: own.into_iter().collect(),
        ..Default::default()
    }
}

fn range(key: ApiKey, schema: &MessageSchema) -> Option<ApiVersion> {
    let versions = schema.advertised;
    Some(ApiVersion {
        api_key: key.code(),
        min_version: versions.first()?,
        max_version: versions.last()?,
        ..Default::default()
    })
}

/// Letters and digits, with dots and dashes between them (KIP-511).
fn is_software_name(name: &str) -> bool {
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let bytes = name.as_bytes();
    bytes.iter().all(is_inner)
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
}

/// The first version that carries the client's software name.
const SOFTWARE_NAME_SINCE: i16 = 3;
/// The only feature whose level is told: the others (KIP-848, KIP-890) would make clients use what is not served.
const METADATA_VERSION: &str = "metadata.version";
/// The lowest level of the metadata log that is read: Kafka 3.3.
const METADATA_VERSION_MIN: i16 = 7;
/// The highest level of the metadata log that is read: Kafka 4.3.
const METADATA_VERSION_MAX: i16 = 30;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::APIS;

    #[test]
    fn software_names_are_words_with_dots_and_dashes() {
        for name in ["apache-kafka-java", "4.3.0", "a", "librdkafka", "x.y-z9"] {
            assert!(is_software_name(name), "{name}");
        }
        for name in ["", "-", "a-", ".a", "a b", "ä", "a_b"] {
            assert!(!is_software_name(name), "{name}");
        }
    }

    #[test]
    fn unsupported_version_is_answered_with_the_own_range_alone() {
        let answer = unsupported();
        let ranges: Vec<_> =
            answer.api_keys.iter().map(|api| (api.api_key, api.min_version, api.max_version)).collect();
        assert_eq!((answer.error_code, ranges), (ErrorCode::UnsupportedVersion, vec![(18, 0, 5)]));
    }

    #[test]
    fn advertises_produce_from_version_0_and_no_transactions() {
        let advertised: Vec<_> = APIS.iter().filter_map(|api| range(api.key, api.schema)).collect();
        let of = |key| {
            advertised.iter().find(|api| api.api_key == key).map(|api| (api.min_version, api.max_version))
        };
        assert_eq!(of(0), Some((0, 13)));
        assert_eq!(of(22), Some((0, 5)));
        assert!([24, 25, 26, 28].iter().all(|key| of(*key).is_none()));
        assert!(advertised.is_sorted_by_key(|api| api.api_key), "in the order of the keys");
    }
}
