// Notifications that come and are not taken, by the likely cause: counted, and told to a person now and then.
import { plainText } from '../api/plain-text.ts';
import { isSigned } from './signature.ts';

/**
 * - `misdirected`: signed, at a path that the receiver does not know.
 * - `unsigned`: at the right path, without a signature.
 * - `wrongSignature`: no secret of the webhook makes the signature.
 * - `ahead`: signed, of a moment that is still to come.
 */
export type DeliveryTrouble = 'misdirected' | 'unsigned' | 'wrongSignature' | 'ahead';

export interface TroubleSeen {
  count: number;
  /** ISO 8601. */
  lastAt: string;
  /** What is likely wrong with the last one, and what to do. */
  cause: string;
}

/** Who sends what is not taken must not fill a log. */
const tellEveryMs = 3_600_000;
const pathShown = 80;

export class DeliveryTroubles {
  readonly seen: Partial<Record<DeliveryTrouble, TroubleSeen>> = {};
  readonly #toldMs = new Map<DeliveryTrouble, number>();
  readonly #tell: (message: string) => void;
  readonly #now: () => number;

  /** @param tell called at the first of each kind, and once an hour while they go on */
  constructor(tell: (message: string) => void, now: () => number) {
    this.#tell = tell;
    this.#now = now;
  }

  /** @param causeOf called only where a person is told, since it may take time */
  add(kind: DeliveryTrouble, causeOf: () => string): void {
    const nowMs = this.#now();
    const before = this.seen[kind];
    const isDue = nowMs - (this.#toldMs.get(kind) ?? Number.NEGATIVE_INFINITY) >= tellEveryMs;
    const cause = before === undefined || isDue ? causeOf() : before.cause;
    const count = (before?.count ?? 0) + 1;
    this.seen[kind] = { count, lastAt: new Date(nowMs).toISOString(), cause };
    if (!isDue) return;
    this.#toldMs.set(kind, nowMs);
    this.#tell(`A notification was not taken (${count} so far): ${cause}.`);
  }
}

/** Why a signed notification came at another path than the receiver's. */
export function pathCause(came: string, path: string): string {
  const shown = plainText(came, pathShown);
  const where = `it was posted to ${shown}, and this receiver takes ${path}`;
  if (came.endsWith(path)) {
    const prefix = plainText(came.slice(0, -path.length), pathShown);
    return `${where}; a proxy adds the prefix ${prefix}: let it remove that, or start the receiver with --path ${shown}`;
  }
  return `${where}; correct the address of the webhook or the proxy before it, or start the receiver with --path`;
}

export const unsignedCause =
  'it has no signature; a proxy removes the header X-Service-Signature, or the platform did not send it';

/** Why a notification is of a moment that is still to come. */
export function aheadCause(atMs: number, nowMs: number): string {
  const [its, ours] = [atMs, nowMs].map((ms) => new Date(ms).toISOString());
  return `it says that it happened at ${its}, and the clock of this machine says ${ours}; set this clock by a time server (NTP)`;
}

/** For a receiver that knows no secret. */
export const secretFix =
  'set RENDERLINE_WEBHOOK_SECRET to the one that the platform gave, or let the receiver register itself: RENDERLINE_WEBHOOK_URL=https://HOST/webhooks';

/** Why no secret makes the signature of a body. */
export function signatureCause(
  body: Uint8Array,
  signature: string,
  secrets: readonly string[],
): string {
  if (secrets.length === 0) return `the secret of the webhook is not known here; ${secretFix}`;
  const compact = compactJson(body);
  if (compact !== null && isSigned(compact, signature, secrets)) {
    return 'the body was changed on the way: its JSON was written anew, and the signature is over the bytes as they were sent; let every proxy pass the body on unchanged';
  }
  return 'its signature does not fit; the secret here is another than that of the webhook, or the body was changed on the way';
}

function compactJson(body: Uint8Array): Uint8Array | null {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(Buffer.from(body).toString('utf8'))));
  } catch {
    return null;
  }
}
