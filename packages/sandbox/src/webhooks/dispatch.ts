// Signs and sends notifications, and applies fault rules to them.
import { createHmac } from 'node:crypto';
import type { EventFault, Faults } from '../faults/faults.ts';
import type { Notification, Sender } from './sender.ts';

/** A notification before it is signed. */
export interface Letter {
  readonly event: string;
  readonly url: string;
  readonly body: string;
  /** Secret of the workspace's webhook; per-job notifications have none. */
  readonly secret?: string | undefined;
  readonly tried?: Notification['tried'];
}

/** How long a held notification waits for another one, at speed 1. */
const holdMs = 3_000;

/** HMAC-SHA256 over the raw bytes, in lower-case hex. */
export function sign(body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function sealed({ event, url, body, secret, tried }: Letter): Notification {
  const bytes = Buffer.from(body);
  const signature = secret === undefined ? undefined : sign(bytes, secret);
  return { event, url, body: bytes, signature, tried };
}

/** The notification as an attacker without the secret would send it. */
export function forged(letter: Letter, how: NonNullable<EventFault['forge']>): Notification {
  const { tried: _ours, ...notification } = sealed(letter);
  if (how === 'unsigned') return { ...notification, signature: undefined };
  if (how === 'wrong-secret')
    return { ...notification, signature: sign(notification.body, 'not the secret') };
  // Different bytes with the same meaning: only a check of the raw bytes detects the change.
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

  /** Sends a notification with the fault of a matching rule. */
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

  /** Sends a forged notification. Its attempts are not recorded. */
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
