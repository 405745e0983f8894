// A minimal gRPC server: responds to every method as the test sets, or not at all.
import { createServer } from 'node:http2';
import { onTestFinished } from 'vitest';
import { onLoopback } from './_loopback.ts';

export interface GrpcResponse {
  /** gRPC status code; 0 sends the message. */
  status: number;
  /** Encoded message; empty by default. */
  message?: Uint8Array;
  details?: string;
  afterMs?: number;
}

/** A message after its header: a byte for "not compressed", and the length. */
function framed(message: Uint8Array): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

/** Starts a server and returns its address. @param answer the response to a method; null never responds */
export async function grpcServer(answer: (method: string) => GrpcResponse | null): Promise<string> {
  const server = createServer();
  // Clients close connections abruptly, which is expected.
  server.on('session', (session) => {
    session.on('error', () => undefined);
    onTestFinished(() => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const given = answer(String(headers[':path']).split('/').at(-1) ?? '');
    if (given === null) return;
    const { status, message = new Uint8Array(), details = '', afterMs = 0 } = given;
    setTimeout(() => {
      if (stream.destroyed) return;
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () =>
        stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': details }),
      );
      stream.end(status === 0 ? framed(message) : undefined);
    }, afterMs);
  });
  return onLoopback(server);
}
