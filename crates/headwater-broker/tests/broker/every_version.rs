//! Every served API answers in every version that it tells of, well or not: what cannot be written closes the
//! connection, and that is never right.

use headwater_codec::{
    CorrelationId, ErrorCode, Request, Str,
    messages::{
        api_versions::ApiVersionsRequest, delete_records::DeleteRecordsRequest, fetch::FetchRequest,
        init_producer_id::InitProducerIdRequest, list_offsets::ListOffsetsRequest, metadata::MetadataRequest,
        offset_for_leader_epoch::OffsetForLeaderEpochRequest,
    },
};

use crate::harness::{
    Client, Place, TestBroker, batch, fetch_request, list_offsets_request, produce_request,
};

/// Sends the request in every version of its API that ApiVersions tells of and can be served.
async fn every_version<R: Request>(client: &mut Client, served: &[(i16, i16, i16)], request: &R) {
    let (_, first, last) = served.iter().find(|(key, ..)| *key == R::KEY.code()).expect("it is served");
    let mut answered = 0;
    for version in *first..=*last {
        // Produce is told from version 0 and served from version 3; fields that a version lacks are for later ones.
        let encoded = headwater_codec::encode_request(
            CorrelationId::new(1),
            Some(Str::from("test")),
            version,
            request,
            &mut bytes::BytesMut::new(),
        );
        if encoded.is_ok() {
            client.call(version, request).await;
            answered += 1;
        }
    }
    assert!(answered > 0, "{} could be asked in no version", R::KEY);
}

#[tokio::test]
async fn every_version_of_every_api_is_answered() {
    let broker = TestBroker::start().await;
    let mut client = broker.client().await;
    let ask = ApiVersionsRequest {
        client_software_name: "test".into(),
        client_software_version: "1".into(),
        node_id: -1,
        ..Default::default()
    };
    let served = client.call(4, &ask).await;
    assert_eq!(served.error_code, ErrorCode::None);
    let served: Vec<_> =
        served.api_keys.iter().map(|api| (api.api_key, api.min_version, api.max_version)).collect();
    let place = Place::new(&client.create_topic("t").await, 0);
    let missing =
        Place { topic: "missing".into(), topic_id: headwater_codec::Uuid::from_u128(1), partition: 3 };

    every_version(&mut client, &served, &ask).await;
    for place in [&place, &missing] {
        every_version(&mut client, &served, &produce_request(-1, &[(place, batch(&["a"]))])).await;
        every_version(&mut client, &served, &fetch_request(&[(place, 0)])).await;
        every_version(
            &mut client,
            &served,
            &FetchRequest { isolation_level: 1, ..fetch_request(&[(place, 99)]) },
        )
        .await;
        for target in [0, -1, -2, -3, -4, -5, -6, -7, i64::MAX] {
            every_version(&mut client, &served, &list_offsets_request(&[(place, target)])).await;
        }
    }
    every_version(&mut client, &served, &MetadataRequest::default()).await;
    every_version(&mut client, &served, &InitProducerIdRequest::default()).await;
    every_version(&mut client, &served, &DeleteRecordsRequest::default()).await;
    every_version(&mut client, &served, &OffsetForLeaderEpochRequest::default()).await;
    every_version(&mut client, &served, &produce_request(-1, &[])).await;
    every_version(&mut client, &served, &FetchRequest::default()).await;
    every_version(&mut client, &served, &ListOffsetsRequest::default()).await;
}
