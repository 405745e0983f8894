// A proxy in front of a Temporal server that imitates Temporal Cloud: TLS with client certificates or an API key.
import { readFileSync } from 'node:fs';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../system/_certificates.ts';

export interface SecureProxyOptions {
  /** Address of the server. */
  address: string;
  own: Certificate;
  /** PEM file of the authority for client certificates; absent if none are required. */
  clients?: string;
  /** Accepted API keys, which a test may change; absent if none are required. */
  apiKeys?: Set<string>;
}

export interface SecureProxy {
  address: string;
  /** Common names of the clients' certificates. */
  callers: Set<string>;
  /** API keys that clients have sent. */
  shown: Set<string>;
  stop(): Promise<void>;
}

export async function startSecureProxy(options: SecureProxyOptions): Promise<SecureProxy> {
  const { address, own, clients, apiKeys } = options;
  const callers = new Set<string>();
  const shown = new Set<string>();
  const behind = connect(`http://${address}`);
  const server = createSecureServer({
    cert: readFileSync(own.cert),
    key: readFileSync(own.key),
    ...(clients === undefined
      ? {}
      : { ca: readFileSync(clients), requestCert: true, rejectUnauthorized: true }),
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('secureConnection', (socket) => {
    const name = socket.getPeerCertificate().subject?.CN;
    if (name) callers.add(String(name));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const key = headers.authorization?.replace(/^Bearer /, '') ?? '';
    shown.add(key);
    if (apiKeys === undefined || apiKeys.has(key)) {
      forward(behind, stream, headers);
      return;
    }
    const words = encodeURIComponent('Request unauthorized.');
    stream.respond(
      {
        ':status': 200,
        'content-type': 'application/grpc',
        'grpc-status': '16',
        'grpc-message': words,
      },
      { endStream: true },
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    address: `127.0.0.1:${port}`,
    callers,
    shown,
    async stop() {
      for (const session of sessions) session.destroy();
      behind.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}

function forward(
  behind: ClientHttp2Session,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
): void {
  const asked = behind.request(headers);
  let trailers: IncomingHttpHeaders = {};
  asked.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  asked.on('trailers', (last) => {
    trailers = last;
  });
  asked.on('response', (answer, flags) => {
    const isEnd = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    if (stream.destroyed) return;
    stream.respond(answer, { waitForTrailers: !isEnd, endStream: isEnd });
    if (!isEnd) asked.pipe(stream);
  });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.on('aborted', () => asked.close(constants.NGHTTP2_CANCEL));
  stream.pipe(asked);
}
