// A fake gRPC server for connection tests: every method gets the given response, or none.
import { createServer } from 'node:http2';
import { onTestFinished } from 'vitest';
import { onLoopback } from './_loopback.ts';

export interface GrpcAnswer {
  /** gRPC status code; 0: an empty message. */
  status: number;
  details?: string;
  afterMs?: number;
}

const emptyMessage = Buffer.alloc(5);

/** Returns the address. @param answer response of a method; null: the method never responds */
export async function grpcServer(answer: (method: string) => GrpcAnswer | null): Promise<string> {
  const server = createServer();
  // The client closes the connection, as expected.
  server.on('session', (session) => {
    session.on('error', () => undefined);
    onTestFinished(() => session.destroy());
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const given = answer(String(headers[':path']).split('/').at(-1) ?? '');
    if (given === null) return;
    const { status, details = '', afterMs = 0 } = given;
    setTimeout(() => {
      if (stream.destroyed) return;
      stream.respond(
        { ':status': 200, 'content-type': 'application/grpc' },
        { waitForTrailers: true },
      );
      stream.on('wantTrailers', () =>
        stream.sendTrailers({ 'grpc-status': String(status), 'grpc-message': details }),
      );
      stream.end(status === 0 ? emptyMessage : undefined);
    }, afterMs);
  });
  return onLoopback(server);
}
