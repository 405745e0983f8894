// Buffered responses of the proxy, and the ways to send them to a client.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** The parsed body; null if the body is not JSON. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** An error response in the platform's format. */
export function errorAnswer(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Answer {
  const body = Buffer.from(JSON.stringify({ error: { code, message: 'Injected fault.' } }));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

function headersOf({ headers, body }: Answer) {
  const { 'transfer-encoding': _chunked, connection: _connection, ...kept } = headers;
  return { ...kept, 'content-length': String(body.length) };
}

/** Sends the whole response. */
export function send(out: ServerResponse, answer: Answer): void {
  out.writeHead(answer.status, headersOf(answer));
  out.end(answer.body);
}

/** Sends the first part of the body with the content length of the whole body, so that a client can detect the cut. */
export function sendPart(out: ServerResponse, answer: Answer, share: number): void {
  out.writeHead(answer.status, headersOf(answer));
  const part = answer.body.subarray(0, Math.floor(answer.body.length * share));
  out.write(part, () => out.destroy());
}

/** Sends the whole response in pieces, 100 ms apart. */
export async function trickle(out: ServerResponse, answer: Answer, pieces: number): Promise<void> {
  out.writeHead(answer.status, headersOf(answer));
  const size = Math.max(1, Math.ceil(answer.body.length / pieces));
  for (let at = 0; at < answer.body.length; at += size) {
    out.write(answer.body.subarray(at, at + size));
    await delay(100);
  }
  out.end();
}
