// Identifies the caller that sent a request for a run, by a bearer token or by a signature over the whole request.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { hasBearerToken, minSecretLength } from '../../settings/secrets/bearer-token.ts';

/** Maximum difference between a signature's timestamp and the receiver's clock, in either direction. */
const maxSignatureAgeMs = 5 * 60_000;

export const timestampHeader = 'renderline-timestamp';
export const runSignatureHeader = 'renderline-signature';
export const idempotencyKeyHeader = 'idempotency-key';

export interface Credential {
  kind: 'secret' | 'token';
  /** Name of the environment variable. It distinguishes callers. */
  name: string;
  value: string;
}

interface SignedRequest {
  method: string;
  /** The path exactly as it was sent. */
  target: string;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

const signatureForm = /^v1=[0-9a-f]{64}$/i;
const timestampForm = /^\d{1,12}$/;

/** True if the request has a credential that can be checked. If it has none, the body need not be read. */
export function hasCredential(headers: IncomingHttpHeaders): boolean {
  return (
    signatureForm.test(textOf(headers, runSignatureHeader)) || headers.authorization !== undefined
  );
}

/** Credentials to check for an unknown pipeline, so that the response time does not reveal which pipelines exist. */
const decoys: readonly Credential[] = (['secret', 'token'] as const).map((kind) => ({
  kind,
  name: '',
  value: randomBytes(minSecretLength).toString('hex'),
}));

/** Finds the request's credential by comparing it with each known one in constant time. Null if none matches. */
export function findCredential(
  request: SignedRequest,
  credentials: readonly Credential[],
  nowMs: number,
): Credential | null {
  let match: Credential | null = null;
  for (const credential of credentials.length === 0 ? decoys : credentials) {
    const { kind, value } = credential;
    const fits =
      kind === 'token'
        ? hasBearerToken(request.headers.authorization, value)
        : isSignedWith(request, value, nowMs);
    // There is no early return, because the time must not reveal which credential matched.
    if (fits) match ??= credential;
  }
  return match;
}

function isSignedWith(request: SignedRequest, secret: string, nowMs: number): boolean {
  const signature = textOf(request.headers, runSignatureHeader);
  const timestamp = textOf(request.headers, timestampHeader);
  if (!signatureForm.test(signature) || !timestampForm.test(timestamp)) return false;
  const isRecent = Math.abs(nowMs - Number(timestamp) * 1_000) <= maxSignatureAgeMs;
  const receivedBytes = Buffer.from(signature.slice('v1='.length), 'hex');
  const expectedBytes = createHmac('sha256', secret).update(signedBytesOf(request)).digest();
  return timingSafeEqual(receivedBytes, expectedBytes) && isRecent;
}

/** Returns time, method, path and idempotency key on a line each, then the body. Headers contain no line breaks. */
function signedBytesOf({ method, target, headers, body }: SignedRequest): Buffer {
  const lines = [
    textOf(headers, timestampHeader),
    method,
    target,
    textOf(headers, idempotencyKeyHeader),
    '',
  ];
  return Buffer.concat([Buffer.from(lines.join('\n')), body]);
}

function textOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}
