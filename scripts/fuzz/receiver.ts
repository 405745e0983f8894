// Fuzzes a receiver with malformed and slow requests. Each signed notification must be accepted exactly once, and
// nothing unsigned may be accepted.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { maxBodyBytes } from '../../src/receiver/request-body.ts';
import { Secrets } from '../../src/receiver/secrets.ts';
import { startReceiver } from '../../src/receiver/server.ts';
import { signatureHeader } from '../../src/receiver/signature.ts';

const secret = 'whsec_fuzz';
/** The timeout is longer than any request takes, so it is a violation if the receiver does not respond in time. */
const responseTimeoutMs = 20_000;

const signatureOf = (body: string, key = secret) =>
  createHmac('sha256', key).update(body).digest('hex');

type MalformedRequest =
  | { kind: 'raw'; text: string }
  | { kind: 'stalled'; bytes: number }
  | { kind: 'trickle'; pieces: number }
  | { kind: 'forged'; body: string }
  | { kind: 'signed'; body: string };

const line = fc.constantFrom(
  'POST /webhooks HTTP/1.1\r\n',
  'GET /webhooks HTTP/1.1\r\n',
  'POST /webhooks/ HTTP/1.0\r\n',
  'POST //webhooks?x=%00 HTTP/1.1\r\n',
  'PUT /wake-ups HTTP/1.1\r\n',
  'POST http://[ HTTP/1.1\r\n',
  'host: a\r\n',
  'host: a\r\nhost: b\r\n',
  'content-length: 5\r\n',
  'content-length: 99999999999\r\n',
  'content-length: -1\r\n',
  'transfer-encoding: chunked\r\n',
  'content-encoding: gzip\r\n',
  'expect: 100-continue\r\n',
  'upgrade: websocket\r\nconnection: upgrade\r\n',
  `${signatureHeader}: ${'0'.repeat(64)}\r\n`,
  `x: ${'y'.repeat(20_000)}\r\n`,
  '\r\n',
  'ffffffff\r\n',
  '0\r\n\r\n',
  '\0',
);
const body = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '['.repeat(100_000),
    `{"event":"model.processed","data":{"modelId":${'"m"'.repeat(3)}}}`,
    '{"event":"render.complete","data":{"jobId":{"a":1},"renderIds":[1]}}',
    '{"event":"model.processed","timestamp":"+275760-09-13T00:00:00.000Z"}',
    `{"event":"model.processed","data":{"modelId":"${'m'.repeat(maxBodyBytes)}"}}`,
    '\uFFFE\0',
  ),
);
const odd: fc.Arbitrary<MalformedRequest> = fc.oneof(
  fc.record({
    kind: fc.constant('raw' as const),
    text: fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => lines.join('')),
  }),
  fc.record({ kind: fc.constant('stalled' as const), bytes: fc.integer({ min: 0, max: 200 }) }),
  fc.record({ kind: fc.constant('trickle' as const), pieces: fc.integer({ min: 2, max: 40 }) }),
  fc.record({ kind: fc.constant('forged' as const), body }),
  fc.record({ kind: fc.constant('signed' as const), body }),
);

async function holds(plays: readonly (MalformedRequest | 'event')[]): Promise<void> {
  const acceptedIds: string[] = [];
  const server = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    apiKey: 'svc_fuzz',
    secrets: new Secrets([secret], { read: null }),
    persist: async ({ modelId = '' }) => void acceptedIds.push(modelId),
    now: () => Date.now(),
  });
  const url = new URL(server.url);
  const sockets: Socket[] = [];
  try {
    const answers = plays.map((play, index) => {
      if (play !== 'event') return sendMalformed(play, url, sockets);
      return post(url, eventOf(index));
    });
    const statuses = await Promise.all(answers);
    for (const [index, play] of plays.entries()) check(play, statuses[index] ?? null);
    const events = plays.flatMap((play, index) => (play === 'event' ? [`fuzz-${index}`] : []));
    const eventIds = acceptedIds.filter((id) => id.startsWith('fuzz-'));
    if (JSON.stringify(eventIds.toSorted()) !== JSON.stringify(events.toSorted()))
      throw new Error(`sent ${events.join()}, accepted ${eventIds.join()}`);
    const repeatStatuses = await Promise.all(
      plays.flatMap((play, index) => (play === 'event' ? [post(url, eventOf(index))] : [])),
    );
    if (repeatStatuses.some((status) => status !== 200))
      throw new Error('a repetition was refused');
    if (acceptedIds.filter((id) => id.startsWith('fuzz-')).length > events.length)
      throw new Error('a repetition was accepted twice');
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}

const eventOf = (index: number) =>
  JSON.stringify({ event: 'model.processed', data: { modelId: `fuzz-${index}` } });

function check(play: MalformedRequest | 'event', status: number | null): void {
  if (play === 'event' && status !== 200) throw new Error(`an event was answered ${status}`);
  const mayBeTaken = play === 'event' || play.kind === 'signed' || play.kind === 'trickle';
  if (!mayBeTaken && status === 200) throw new Error(`${JSON.stringify(play)} was accepted`);
  if (status !== null && status >= 500) throw new Error(`answered ${status}`);
}

async function post(url: URL, text: string, signature = signatureOf(text)): Promise<number> {
  const answer = await fetch(url, {
    method: 'POST',
    body: text,
    headers: { [signatureHeader]: signature },
    signal: AbortSignal.timeout(responseTimeoutMs),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Sends a malformed request. @returns the status of the response, or null if there is none or none is awaited */
async function sendMalformed(
  play: MalformedRequest,
  url: URL,
  sockets: Socket[],
): Promise<number | null> {
  // Errors about a closed connection are ignored, because it may be closed before the whole body is sent.
  if (play.kind === 'forged')
    return post(url, play.body, '0'.repeat(64)).catch(rethrowUnlessClosed);
  if (play.kind === 'signed') return post(url, play.body).catch(rethrowUnlessClosed);
  const socket = connect(Number(url.port), url.hostname);
  sockets.push(socket.on('error', () => undefined));
  if (play.kind === 'trickle') return trickle(socket, play.pieces);
  const half = `POST /webhooks HTTP/1.1\r\nhost: a\r\n${signatureHeader}: ${'0'.repeat(64)}\r\ncontent-length: 100\r\n\r\n${'x'.repeat(99)}`;
  // These connections stay open until the end of the test, because what they wait for never arrives.
  socket.write(play.kind === 'raw' ? play.text : half.slice(0, play.bytes));
  return null;
}

function rethrowUnlessClosed(error: unknown): null {
  if (error instanceof Error && error.name === 'TimeoutError') throw error;
  return null;
}

/** Sends a notification in many pieces, each in its own packet. */
async function trickle(socket: Socket, pieces: number): Promise<number | null> {
  const text = JSON.stringify({ event: 'model.failed', data: { modelId: 'slow' } });
  const message = `POST /webhooks HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${signatureHeader}: ${signatureOf(text)}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  await once(socket, 'connect');
  socket.setNoDelay(true);
  const step = Math.ceil(message.length / pieces);
  for (let offset = 0; offset < message.length; offset += step) {
    socket.write(message.slice(offset, offset + step));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const answer = (await socket.toArray({ signal: AbortSignal.timeout(responseTimeoutMs) })).join(
    '',
  );
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0);
  if (status !== 200) throw new Error(`a slow notification was answered ${answer}`);
  return status;
}

export const receiver = fc.asyncProperty(
  fc.array(fc.oneof(odd, fc.constant('event' as const)), { minLength: 1, maxLength: 30 }),
  holds,
);
