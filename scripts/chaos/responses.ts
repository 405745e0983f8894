// Buffered responses of the proxy, and ways to send them to a client.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface ProxyResponse {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Returns the parsed body, or null if the body is not JSON. */
export function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** Returns an error response in the platform's format. */
export function errorResponse(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): ProxyResponse {
  const body = Buffer.from(JSON.stringify({ error: { code, message: 'Injected fault.' } }));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

function headersOf({ headers, body }: ProxyResponse) {
  const { 'transfer-encoding': _chunked, connection: _connection, ...otherHeaders } = headers;
  return { ...otherHeaders, 'content-length': String(body.length) };
}

/** Sends the whole response. */
export function send(out: ServerResponse, response: ProxyResponse): void {
  out.writeHead(response.status, headersOf(response));
  out.end(response.body);
}

/** Sends the first part of the body with the content length of the whole body, so that a client can detect the cut. */
export function sendTruncated(out: ServerResponse, response: ProxyResponse, share: number): void {
  out.writeHead(response.status, headersOf(response));
  const part = response.body.subarray(0, Math.floor(response.body.length * share));
  out.write(part, () => out.destroy());
}

/** Sends the whole response in pieces, 100 ms apart. */
export async function trickle(
  out: ServerResponse,
  response: ProxyResponse,
  pieces: number,
): Promise<void> {
  out.writeHead(response.status, headersOf(response));
  const size = Math.max(1, Math.ceil(response.body.length / pieces));
  for (let offset = 0; offset < response.body.length; offset += size) {
    out.write(response.body.subarray(offset, offset + size));
    await delay(100);
  }
  out.end();
}
