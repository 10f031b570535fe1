//! One client: frames in, frames out.

use std::{io, net::SocketAddr, sync::Arc};

use bytes::{BufMut, Bytes, BytesMut};
use iggy_binary_protocol::{
    Command, HEADER_SIZE, Operation, ReplyHeader, RequestHeader, codes::LOGIN_REGISTER_CODE,
    dispatch::lookup_by_operation,
};
use parking_lot::Mutex;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{commands, errors::Failure, state::State};

/// Who is on the other end.
pub(crate) struct Session {
    pub(crate) signed_in: bool,
    /// Where the double listens.
    pub(crate) address: SocketAddr,
}

/// Serves a client until it hangs up, or says what is no frame.
pub(crate) async fn serve(mut stream: TcpStream, address: SocketAddr, state: Arc<Mutex<State>>) {
    let mut session = Session { signed_in: false, address };
    let _ = stream.set_nodelay(true);
    while let Ok((header, body)) = read(&mut stream).await {
        let Some(code) = code_of(&header) else { return };
        let outcome = commands::run(&mut state.lock(), &mut session, code, &body);
        if stream.write_all(&reply(&header, outcome)).await.is_err() {
            return;
        }
    }
}

async fn read(stream: &mut TcpStream) -> io::Result<(RequestHeader, Bytes)> {
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let mut bytes = [0; HEADER_SIZE];
    stream.read_exact(&mut bytes).await?;
    let header: RequestHeader = bytemuck::checked::try_pod_read_unaligned(&bytes).map_err(|_| invalid())?;
    let length = (header.size as usize).checked_sub(HEADER_SIZE).filter(|length| *length <= FRAME_MAX);
    let mut body = vec![0; length.ok_or_else(invalid)?];
    stream.read_exact(&mut body).await?;
    Ok((header, body.into()))
}

fn code_of(header: &RequestHeader) -> Option<u32> {
    match header.operation {
        Operation::Register => Some(LOGIN_REGISTER_CODE),
        Operation::NonReplicated => {
            let code = header.reserved.first_chunk()?;
            Some(u32::from_le_bytes(*code))
        }
        operation => lookup_by_operation(operation).map(|command| command.code),
    }
}

fn reply(request: &RequestHeader, outcome: Result<Bytes, Failure>) -> Bytes {
    let operation = request.operation;
    let mut body = BytesMut::new();
    let mut status = 0;
    let has_result = operation.is_result_framed() || operation == Operation::Register;
    match outcome {
        Ok(payload) => {
            if has_result {
                body.put_u32_le(0);
            }
            body.put_slice(&payload);
        }
        Err(Failure(code)) if has_result => {
            [1, 0, code].into_iter().for_each(|number| body.put_u32_le(number));
        }
        Err(Failure(code)) => status = code,
    }
    let header = ReplyHeader {
        command: Command::Reply,
        size: (HEADER_SIZE + body.len()) as u32,
        client: request.client,
        request: request.request,
        operation,
        status,
        ..ReplyHeader::default()
    };
    let mut frame = BytesMut::with_capacity(HEADER_SIZE + body.len());
    frame.put_slice(bytemuck::bytes_of(&header));
    frame.put_slice(&body);
    frame.freeze()
}

/// Iggy's own limit.
const FRAME_MAX: usize = 64 << 20;
