// Sends one notice to a receiver. Unless it is a chat message, it is signed according to Standard Webhooks: the
// signature covers id, time and body, so that the receiver can reject old notices and drop duplicates.
import { createHmac } from 'node:crypto';
import { createTimeoutSignal } from '../../api/abort.ts';
import { getHeader, parseRetryAfter } from '../../api/errors/retry-after.ts';
import {
  allowHostFix,
  findAddressProblem,
  type Hosts,
  isAllowedOrigin,
} from '../../api/network/allowed-hosts.ts';
import { createHttpAgent } from '../../api/network/http-agents.ts';
import { loadHttpLibrary } from '../../api/network/load-http-library.ts';
import { classifyNetworkError, findNetworkErrorFix } from '../../api/network/network-errors.ts';
import type { Network } from '../../api/network/network-guard.ts';
import { isPrivateHost } from '../../api/network/private-addresses.ts';
import { toSafeMessage } from '../../api/responses/scrub.ts';
import type { NoticeTarget } from '../../plan/types.ts';
import type { OperatorRules } from '../../settings/operator-rules.ts';
import type { SecretLookup } from '../../settings/secrets/secret-names.ts';
import { noticeFailures } from './failures.ts';

const defaultFirstDelayMs = 5_000;

/** Thrown if the receiver did not accept the notice. */
export class NoticeError extends Error {
  override name = 'NoticeError';
  readonly failure = noticeFailures.NOTICE_REFUSED;
  readonly code = noticeFailures.NOTICE_REFUSED.code;
  /** HTTP status of the response. Null if there was none. */
  readonly status: number | null;
  /** True if a retry would not help. */
  readonly isPermanent: boolean;
  /** Delay requested by the receiver, or 0 if none. */
  readonly retryAfterMs: number;
  /** Delay after the first attempt. */
  firstDelayMs = defaultFirstDelayMs;

  constructor(
    message: string,
    response: { status: number; retryAfterMs: number } | null = null,
    isPermanent = response !== null && isPermanentStatus(response.status),
  ) {
    super(message);
    this.status = response?.status ?? null;
    this.isPermanent = isPermanent;
    this.retryAfterMs = response?.retryAfterMs ?? 0;
  }

  retryDelayMs(attempt: number): number | null {
    return this.isPermanent ? null : computeNoticeDelayMs(this, attempt);
  }
}

export type Receiver = Omit<NoticeTarget, 'on'>;

interface SignedNotice {
  /** Id of the notice, the same for every attempt, so that receivers can drop duplicates. */
  id: string;
  target: Receiver;
  body: string;
}

const attemptMs = 15_000;
const maxDelayMs = 15 * 60_000;

/** Returns the delay before the next attempt. @param attempt number of the failed attempt, starting at 1 */
export function computeNoticeDelayMs(
  { retryAfterMs, firstDelayMs }: NoticeError,
  attempt: number,
): number {
  const backoffMs = firstDelayMs * 2 ** Math.min(attempt - 1, 20);
  return Math.min(Math.max(backoffMs, retryAfterMs), maxDelayMs);
}

/** @returns the HTTP status, always 2xx @throws NoticeError */
export async function sendNotice(
  notice: SignedNotice,
  rules: OperatorRules,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await post(notice, rules, nowMs, signal);
  } catch (error) {
    const { noticeRetryMs } = rules;
    if (error instanceof NoticeError && noticeRetryMs) error.firstDelayMs = noticeRetryMs;
    throw error;
  }
}

async function post(
  notice: SignedNotice,
  { lookUpSecret, network, hosts }: OperatorRules,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const { url, label, secrets, headers: signed } = resolveAddress(notice, lookUpSecret, nowMs);
  const { request } = loadHttpLibrary();
  const agent = createHttpAgent(resolveNetwork(url, network, hosts));
  try {
    const response = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: { 'content-type': 'application/json', 'user-agent': 'renderline', ...signed },
      body: notice.body,
      signal: createTimeoutSignal(attemptMs, signal),
    });
    const { statusCode: status, headers } = response;
    await response.body.dump({ limit: 64 * 1024 });
    if (status >= 200 && status < 300) return status;
    const retryAfterMs = parseRetryAfter(getHeader(headers, 'retry-after'), nowMs) ?? 0;
    throw new NoticeError(`${label} responded with status ${status}`, { status, retryAfterMs });
  } catch (error) {
    if (error instanceof NoticeError || signal.aborted) throw error;
    const message = `${label}: ${formatNetworkError(error, url.host)}`;
    throw new NoticeError(toSafeMessage(message, secrets));
  } finally {
    await agent.destroy();
  }
}

/** Returns the network that the receiver's address may be in. @throws NoticeError if the address is not allowed */
function resolveNetwork(url: URL, network: Network, hosts: Hosts): Network {
  const refusal = findAddressProblem(url, hosts);
  if (refusal !== null)
    throw new NoticeError(`${url.host} ${refusal.reason}; ${refusal.fix}`, null, refusal.isFinal);
  const allowedNetwork = isAllowedOrigin(url.origin, hosts) ? 'any' : network;
  if (allowedNetwork === 'public' && isPrivateHost(url)) {
    throw new NoticeError(`${url.host} is private or local; ${allowHostFix(url)}`);
  }
  return allowedNetwork;
}

interface NoticeAddress {
  url: URL;
  /** Name for messages. Never a URL from a variable, because such a URL may let anybody post there. */
  label: string;
  /** Signing secret and a URL from a variable. Never part of a message. */
  secrets: string[];
  headers: Record<string, string>;
}

/** @throws NoticeError */
function resolveAddress(
  { target, id, body }: SignedNotice,
  lookUpSecret: SecretLookup,
  nowMs: number,
): NoticeAddress {
  const { url = '', secretFrom, format, urlFrom } = target;
  const readUrl = () => readSecret(urlFrom ?? '', 'urlFrom', lookUpSecret).trim();
  const address = urlFrom === undefined ? url : readUrl();
  const label = urlFrom === undefined ? formatUrl(url) : `${receiverNameOf(format)} (${urlFrom})`;
  if (!URL.canParse(address)) throw new NoticeError(`${label} does not contain a webhook URL`);
  const secretUrls = urlFrom === undefined ? [] : [address];
  if (secretFrom === undefined)
    return { url: new URL(address), label, secrets: secretUrls, headers: {} };
  const secret = readSecret(secretFrom, 'secretFrom', lookUpSecret);
  const headers = createSignatureHeaders(id, body, secret, nowMs);
  return { url: new URL(address), label, secrets: [secret, ...secretUrls], headers };
}

function receiverNameOf(format: Receiver['format']): string {
  return format === undefined ? 'the receiver' : { slack: 'Slack', teams: 'Teams' }[format];
}

/** A missing secret can be retried, because a later worker may have it. A variable of the worker itself cannot. */
function readSecret(name: string, field: string, lookUpSecret: SecretLookup): string {
  const secret = lookUpSecret(name, field);
  if ('value' in secret) return secret.value;
  throw new NoticeError(`${name} ${secret.reason}; ${secret.fix}`, null, secret.code === 'own');
}

/** Formats the JSON body of a notice. @param type name of the event @param timestamp ISO 8601 */
export function formatNoticeBody(type: string, timestamp: string, data: object): string {
  return JSON.stringify({ type, timestamp, data });
}

/** @param nowMs time of this attempt, since receivers reject signatures that are minutes old */
export function createSignatureHeaders(
  id: string,
  body: string,
  secret: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', toSigningKey(secret))
    .update(`${id}.${timestamp}.${body}`)
    .digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}

/** True if a retry would not help: redirects, which are not followed, and client errors except 408 and 429. */
function isPermanentStatus(status: number): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

function formatNetworkError(error: unknown, host: string): string {
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `no response within ${attemptMs / 1_000} s`;
  const networkError = classifyNetworkError(error, host);
  if (networkError === null) return error instanceof Error ? error.message : String(error);
  const fix = findNetworkErrorFix(networkError);
  return fix === null ? networkError.reason : `${networkError.reason}; ${fix}`;
}

/** Converts a secret to a key. Text after the standard's prefix is base64. Any other secret is used unchanged. */
function toSigningKey(secret: string): Buffer {
  const mark = 'whsec_';
  return secret.startsWith(mark)
    ? Buffer.from(secret.slice(mark.length), 'base64')
    : Buffer.from(secret);
}

/** Formats the URL without its query, which may contain secrets. */
function formatUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
