// Signs and sends notifications, spoilt where a fault rule says so.
import { createHmac } from 'node:crypto';
import type { EventFault, Faults } from '../faults/faults.ts';
import type { Notification, Sender } from './sender.ts';

/** A notification before it is signed. */
export interface Letter {
  readonly event: string;
  readonly url: string;
  readonly body: string;
  /** Workspace webhooks are signed with it; per-job webhooks have none. */
  readonly secret?: string | undefined;
  readonly tried?: Notification['tried'];
}

/** A held notification is sent after this time at speed 1 when no other comes. */
const holdMs = 3_000;

/** Lowercase hex HMAC-SHA256 over the raw bytes (platform.md, section 6). */
export function sign(body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function sealed({ event, url, body, secret, tried }: Letter): Notification {
  const bytes = Buffer.from(body);
  const signature = secret === undefined ? undefined : sign(bytes, secret);
  return { event, url, body: bytes, signature, tried };
}

/** A letter as somebody without the secret would send it. */
export function forged(letter: Letter, how: NonNullable<EventFault['forge']>): Notification {
  const { tried: _ours, ...notification } = sealed(letter);
  if (how === 'unsigned') return { ...notification, signature: undefined };
  if (how === 'wrong-secret')
    return { ...notification, signature: sign(notification.body, 'not the secret') };
  // Other bytes of the same meaning: only a check over the raw bytes refuses them.
  return { ...notification, body: Buffer.from(`${letter.body} `) };
}

export class Dispatch {
  readonly #sender: Sender;
  readonly #faults: Faults;
  readonly #speed: number;
  #held: Letter[] = [];

  constructor(sender: Sender, faults: Faults, speed: number) {
    this.#sender = sender;
    this.#faults = faults;
    this.#speed = speed;
  }

  /** Sends a letter, with the fault that a rule sets. */
  post(letter: Letter): void {
    const fault = this.#faults.forEvent(letter.event) ?? {};
    if (fault.drop) return;
    if (fault.reorder) {
      this.#held.push(letter);
      if (!this.#sender.later(holdMs / this.#speed, () => this.#release())) this.#release();
      return;
    }
    if (fault.forge) this.#sender.send(forged(letter, fault.forge));
    const send = () => {
      for (let copies = 0; copies <= (fault.repeat ?? 0); copies += 1) this.#send(letter);
      this.#release();
    };
    if (fault.delayMs === undefined) send();
    else if (!this.#sender.later(fault.delayMs, send)) letter.tried?.(false, true);
  }

  /** Sends a forged letter. Its attempts are not recorded. */
  forge(letter: Letter, how: NonNullable<EventFault['forge']>): void {
    this.#sender.send(forged(letter, how));
  }

  clear(): void {
    this.#held = [];
    this.#sender.clear();
  }

  #send(letter: Letter): void {
    if (!this.#sender.send(sealed(letter))) letter.tried?.(false, true);
  }

  #release(): void {
    for (const letter of this.#held.splice(0)) this.#send(letter);
  }
}
