// One attempt to tell somebody's receiver how a run ended, signed as Standard Webhooks has it: the signature is
// over id, time and body, so that a receiver can refuse what is old and drop what it has.
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import type { Notice, NoticeInput } from '../plan/contract.ts';

/** The receiver has not taken the notice. `final`: it never will. */
export class NoticeError extends Error {
  override name = 'NoticeError';
  readonly final: boolean;

  constructor(message: string, final = false) {
    super(message);
    this.final = final;
  }
}

const attemptMs = 15_000;

/** @param secret as the worker's environment holds it @returns the status of the answer, a 2xx */
export async function sendNotice(
  { target, id, notice }: NoticeInput,
  secret: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const body = noticeBody(notice);
  const agent = new Agent();
  try {
    const answer = await request(target.url, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'renderline',
        ...signatureHeaders(id, body, secret, nowMs),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]),
    });
    await answer.body.dump({ limit: 64 * 1024 });
    const { statusCode } = answer;
    if (statusCode >= 200 && statusCode < 300) return statusCode;
    // A redirect is not followed: the file says who is told. 410 says that nobody is there any more.
    const final = statusCode === 410 || (statusCode >= 300 && statusCode < 400);
    throw new NoticeError(`${placeOf(target.url)} answered ${statusCode}`, final);
  } finally {
    await agent.destroy();
  }
}

export function noticeBody(notice: Notice): string {
  const { endedAt, ...data } = notice;
  return JSON.stringify({ type: 'run.ended', timestamp: endedAt, data });
}

/** @param nowMs of the attempt: receivers refuse what was signed minutes ago */
export function signatureHeaders(
  id: string,
  body: string,
  secret: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', keyOf(secret))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/** Secrets of the standard are base64 behind a mark; any other text is taken as it is. */
function keyOf(secret: string): Buffer {
  const mark = 'whsec_';
  return secret.startsWith(mark)
    ? Buffer.from(secret.slice(mark.length), 'base64')
    : Buffer.from(secret);
}

/** Without its query, which may hold what others must not see. */
function placeOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
