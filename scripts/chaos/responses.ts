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

/** Returns a web page, as a gateway or a captive portal sends it. */
export function webPage(status: number): ProxyResponse {
  const body = Buffer.from('<!doctype html><title>Injected</title><p>Injected fault.</p>');
  return { status, headers: { 'content-type': 'text/html' }, body };
}

/** Returns the response of a platform whose clock is ahead by this time. */
export function shiftTimes(response: ProxyResponse, aheadMs: number): ProxyResponse {
  const { headers, body } = response;
  const shift = (time: string) => new Date(Date.parse(time) + aheadMs);
  const date = shift(headers.date ?? new Date().toUTCString()).toUTCString();
  const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
  const text = body.toString('utf8').replace(times, (time) => shift(time).toISOString());
  return { ...response, headers: { ...headers, date }, body: Buffer.from(text) };
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
