// Answers as the proxy has them in hand, and the ways in which it gives them to a client.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** What a body says; null where it is no JSON. */
export function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return null;
  }
}

/** A refusal as the platform words it. */
export function errorAnswer(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Answer {
  const body = Buffer.from(JSON.stringify({ error: { code, message: 'It is bad weather.' } }));
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

function headersOf({ headers, body }: Answer) {
  const { 'transfer-encoding': _chunked, connection: _connection, ...kept } = headers;
  return { ...kept, 'content-length': String(body.length) };
}

/** The whole answer. */
export function send(out: ServerResponse, answer: Answer): void {
  out.writeHead(answer.status, headersOf(answer));
  out.end(answer.body);
}

/** The beginning of an answer, with the length of the whole body, so that a client can tell. */
export function sendPart(out: ServerResponse, answer: Answer, share: number): void {
  out.writeHead(answer.status, headersOf(answer));
  const part = answer.body.subarray(0, Math.floor(answer.body.length * share));
  out.write(part, () => out.destroy());
}

/** The whole answer, piece by piece. */
export async function trickle(out: ServerResponse, answer: Answer, pieces: number): Promise<void> {
  out.writeHead(answer.status, headersOf(answer));
  const size = Math.max(1, Math.ceil(answer.body.length / pieces));
  for (let at = 0; at < answer.body.length; at += size) {
    out.write(answer.body.subarray(at, at + size));
    await delay(100);
  }
  out.end();
}
