// One attempt to tell somebody's receiver something, signed as Standard Webhooks has it: the signature is over
// id, time and body, so that a receiver can refuse what is old and drop what it has.
import { createHmac } from 'node:crypto';
import { allowing, type Hosts, isNamed, refuseAddress } from '../../api/allowed-hosts.ts';
import { httpAgent } from '../../api/http-agents.ts';
import { httpLibrary } from '../../api/http-library.ts';
import { faultFix, networkFault } from '../../api/network-errors.ts';
import type { Network } from '../../api/network-guard.ts';
import { isPrivateHost } from '../../api/private-addresses.ts';
import { header, parseRetryAfter } from '../../api/retry-after.ts';
import { safeMessage } from '../../api/scrub.ts';
import type { NoticeTarget } from '../../plan/types.ts';
import type { Guard } from '../../settings/guard.ts';
import type { SecretNamed } from '../../settings/secret-names.ts';
import { noticeFailures } from './failures.ts';

const defaultFirstDelayMs = 5_000;

/** The receiver has not taken the notice. */
export class NoticeError extends Error {
  override name = 'NoticeError';
  readonly failure = noticeFailures.NOTICE_REFUSED;
  readonly code = noticeFailures.NOTICE_REFUSED.code;
  /** Status of the answer; null where there was none. */
  readonly status: number | null;
  /** True where another attempt would not work either. */
  readonly final: boolean;
  /** Pause that the receiver asked for; 0 where it asked for none. */
  readonly retryAfterMs: number;
  /** Pause after the first attempt. */
  firstDelayMs = defaultFirstDelayMs;

  constructor(
    message: string,
    answer: { status: number; retryAfterMs: number } | null = null,
    final = answer !== null && isFinal(answer.status),
  ) {
    super(message);
    this.status = answer?.status ?? null;
    this.final = final;
    this.retryAfterMs = answer?.retryAfterMs ?? 0;
  }

  againAfterMs(attempt: number): number | null {
    return this.final ? null : noticeDelayMs(this, attempt);
  }
}

export type Receiver = Omit<NoticeTarget, 'on'>;

interface SignedNotice {
  /** The same for every attempt; receivers drop what they have. */
  id: string;
  target: Receiver;
  body: string;
}

const attemptMs = 15_000;
const longestDelayMs = 15 * 60_000;

/** How long to leave a receiver alone after its `attempt`, counted from 1. */
export function noticeDelayMs(
  { retryAfterMs, firstDelayMs }: NoticeError,
  attempt: number,
): number {
  const backoffMs = firstDelayMs * 2 ** Math.min(attempt - 1, 20);
  return Math.min(Math.max(backoffMs, retryAfterMs), longestDelayMs);
}

/** @returns the status of the answer, a 2xx @throws NoticeError */
export async function sendNotice(
  notice: SignedNotice,
  guard: Guard,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await post(notice, guard, nowMs, signal);
  } catch (error) {
    const { noticePauseMs } = guard;
    if (error instanceof NoticeError && noticePauseMs) error.firstDelayMs = noticePauseMs;
    throw error;
  }
}

async function post(
  { target, id, body }: SignedNotice,
  { secretNamed, network, hosts }: Guard,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const {
    url,
    place,
    secret,
    headers: signed,
  } = addressOf({ target, id, body }, secretNamed, nowMs);
  const reach = reachOf(url, network, hosts);
  const { request } = httpLibrary();
  const agent = httpAgent(reach);
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'renderline',
        ...signed,
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]),
    });
    const { statusCode: status, headers } = answer;
    await answer.body.dump({ limit: 64 * 1024 });
    if (status >= 200 && status < 300) return status;
    const retryAfterMs = parseRetryAfter(header(headers, 'retry-after'), nowMs) ?? 0;
    throw new NoticeError(`${place} answered ${status}`, { status, retryAfterMs });
  } catch (error) {
    if (error instanceof NoticeError || signal.aborted) throw error;
    throw new NoticeError(safeMessage(`${place}: ${reasonOf(error, url.host)}`, [secret]));
  } finally {
    await agent.destroy();
  }
}

/** The addresses that the name of a receiver may lead to. @throws NoticeError where its URL is refused as it stands */
function reachOf(url: URL, network: Network, hosts: Hosts): Network {
  const refusal = refuseAddress(url, hosts);
  if (refusal !== null)
    throw new NoticeError(`${url.host} ${refusal.why}; ${refusal.fix}`, null, refusal.isFinal);
  const reach = isNamed(url.origin, hosts) ? 'any' : network;
  if (reach === 'public' && isPrivateHost(url)) {
    throw new NoticeError(`${url.host} is private or local; ${allowing(url)}`);
  }
  return reach;
}

interface NoticeAddress {
  url: URL;
  /** For messages: no address of a channel, which lets anybody write there. */
  place: string;
  /** Never told in messages. */
  secret: string;
  headers: Record<string, string>;
}

/** @throws NoticeError */
function addressOf(
  { target, id, body }: SignedNotice,
  secretNamed: SecretNamed,
  nowMs: number,
): NoticeAddress {
  const { url = '', secretFrom = '', format, urlFrom = '' } = target;
  if (format === undefined) {
    const secret = secretOf(secretFrom, 'secretFrom', secretNamed);
    const headers = signatureHeaders(id, body, secret, nowMs);
    return { url: new URL(url), place: placeOf(url), secret, headers };
  }
  const secret = secretOf(urlFrom, 'urlFrom', secretNamed).trim();
  const place = `${format === 'slack' ? 'Slack' : 'Teams'} (${urlFrom})`;
  if (!URL.canParse(secret)) throw new NoticeError(`${place} is not the address of a webhook`);
  return { url: new URL(secret), place, secret, headers: {} };
}

/** Without it, it is tried again: a worker that has it, or whose operator allows it, may be started meanwhile. */
function secretOf(name: string, field: string, secretNamed: SecretNamed): string {
  const secret = secretNamed(name, field);
  if ('value' in secret) return secret.value;
  throw new NoticeError(`${name} ${secret.why}; ${secret.fix}`, null, secret.code === 'own');
}

/** A notice's body; `type` says what happened, `timestamp` (ISO 8601) when. */
export function noticeBody(type: string, timestamp: string, data: object): string {
  return JSON.stringify({ type, timestamp, data });
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

/** A redirect is not followed: the file says who is told. Refusals are final but for a request to be slower. */
function isFinal(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

function reasonOf(error: unknown, host: string): string {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `no answer within ${attemptMs / 1_000} s`;
  const fault = networkFault(error, host);
  if (fault === null) return error instanceof Error ? error.message : String(error);
  const fix = faultFix(fault);
  return fix === null ? fault.reason : `${fault.reason}; ${fix}`;
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
