// Counts rejected notifications by their likely cause, and reports each kind at most once an hour.
import { toPlainText } from '../api/responses/plain-text.ts';
import { hasValidSignature } from './signature.ts';

/**
 * - `misdirected`: the notification is signed, but arrived at a path that the receiver does not serve.
 * - `unsigned`: the notification arrived at the right path, but without a signature.
 * - `wrongSignature`: no known secret of the webhook produces the signature.
 * - `ahead`: the notification is signed, but its time is in the future.
 */
export type NotificationProblem = 'misdirected' | 'unsigned' | 'wrongSignature' | 'ahead';

export interface ProblemCount {
  count: number;
  /** Time in ISO 8601 format. */
  lastAt: string;
  /** The likely cause of the rejections, and what to do. */
  cause: string;
}

/** Minimum time between reports of one kind, because anybody can send notifications that are rejected. */
const reportIntervalMs = 3_600_000;
const maxPathLength = 80;

export class NotificationProblems {
  readonly seen: Partial<Record<NotificationProblem, ProblemCount>> = {};
  readonly #reportedAtMs = new Map<NotificationProblem, number>();
  readonly #report: (message: string) => void;
  readonly #now: () => number;

  /** @param report called at the first rejection of each kind, and then at most once an hour */
  constructor(report: (message: string) => void, now: () => number) {
    this.#report = report;
    this.#now = now;
  }

  /** @param causeOf called only if the cause is reported, because it may take time */
  add(kind: NotificationProblem, causeOf: () => string): void {
    const nowMs = this.#now();
    const entry = this.seen[kind];
    const isDue =
      nowMs - (this.#reportedAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) >= reportIntervalMs;
    const cause = entry === undefined || isDue ? causeOf() : entry.cause;
    const count = (entry?.count ?? 0) + 1;
    this.seen[kind] = { count, lastAt: new Date(nowMs).toISOString(), cause };
    if (!isDue) return;
    this.#reportedAtMs.set(kind, nowMs);
    this.#report(`A notification was rejected (${count} so far): ${cause}.`);
  }
}

/** Explains why a signed notification arrived at a path other than the receiver's. */
export function explainPath(receivedPath: string, path: string): string {
  const shownPath = toPlainText(receivedPath, maxPathLength);
  const cause = `it was posted to ${shownPath}, but this receiver uses ${path}`;
  if (receivedPath.endsWith(path)) {
    const prefix = toPlainText(receivedPath.slice(0, -path.length), maxPathLength);
    return `${cause}; a proxy adds the prefix ${prefix}: remove the prefix in the proxy, or start the receiver with --path ${shownPath}`;
  }
  return `${cause}; correct the address of the webhook or the proxy in front of the receiver, or start the receiver with another --path`;
}

export const unsignedCause =
  'it has no signature; a proxy removes the header X-Service-Signature, or the platform did not send it';

/** Explains why the time of a notification is in the future. */
export function explainAheadTime(atMs: number, nowMs: number): string {
  const [eventTime, localTime] = [atMs, nowMs].map((ms) => new Date(ms).toISOString());
  return `its time is ${eventTime}, but the clock of this machine shows ${localTime}; synchronize the clock with a time server (NTP)`;
}

/** Advice for a receiver without a secret. */
export const secretFix =
  'set RENDERLINE_WEBHOOK_SECRET to the secret from the platform, or let the receiver register itself: RENDERLINE_WEBHOOK_URL=https://HOST/webhooks';

/** Explains why no known secret produces the signature of a body. */
export function explainSignature(
  body: Uint8Array,
  signature: string,
  secrets: readonly string[],
): string {
  if (secrets.length === 0)
    return `the receiver does not know the secret of the webhook; ${secretFix}`;
  const compact = compactJson(body);
  if (compact !== null && hasValidSignature(compact, signature, secrets)) {
    return 'a proxy reformatted the JSON of the body, but the signature covers the original bytes; let every proxy pass the body on unchanged';
  }
  return 'its signature is wrong; the secret set here differs from the secret of the webhook, or the body was changed on the way';
}

function compactJson(body: Uint8Array): Uint8Array | null {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8'))));
  } catch {
    return null;
  }
}
