// Signs and sends notifications, and applies fault rules to them.
import { createHmac } from 'node:crypto';
import type { EventFault, Faults } from '../faults/faults.ts';
import type { Notification, Sender } from './sender.ts';

/** A notification before it is signed. */
interface UnsignedNotification extends Pick<Notification, 'url' | 'onAttempt'> {
  readonly event: string;
  readonly body: string;
  /** Secret of the workspace's webhook. Per-job notifications have none. */
  readonly secret?: string;
}

/** How long a held notification waits for another one, at speed 1. */
const holdMs = 3_000;

/** Computes the HMAC-SHA256 over the raw bytes, in lower-case hex. */
export function sign(body: Uint8Array, secret: string): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function signNotification({ url, body, secret, onAttempt }: UnsignedNotification): Notification {
  const bytes = Buffer.from(body);
  const signature = secret === undefined ? undefined : sign(bytes, secret);
  return { url, body: bytes, signature, onAttempt };
}

/** Creates the notification as an attacker without the secret would send it. */
function forgeNotification(
  unsigned: UnsignedNotification,
  forgery: NonNullable<EventFault['forge']>,
): Notification {
  const { onAttempt: _ours, ...notification } = signNotification(unsigned);
  if (forgery === 'unsigned') return { ...notification, signature: undefined };
  if (forgery === 'wrong-secret')
    return { ...notification, signature: sign(notification.body, 'not the secret') };
  // The bytes differ but have the same meaning, so only a check of the raw bytes detects the change.
  return { ...notification, body: Buffer.from(`${unsigned.body} `) };
}

export class Dispatch {
  readonly #sender: Sender;
  readonly #faults: Faults;
  readonly #speed: number;
  #heldNotifications: UnsignedNotification[] = [];

  constructor(sender: Sender, faults: Faults, speed: number) {
    this.#sender = sender;
    this.#faults = faults;
    this.#speed = speed;
  }

  /** Sends a notification with the faults of the matching rules. */
  post(unsigned: UnsignedNotification): void {
    const fault = this.#faults.faultFor('event', unsigned.event);
    if (fault.drop) return;
    if (fault.reorder) {
      this.#heldNotifications.push(unsigned);
      if (!this.#sender.later(holdMs / this.#speed, () => this.#release())) this.#release();
      return;
    }
    if (fault.forge) this.#sender.send(forgeNotification(unsigned, fault.forge));
    const send = () => {
      for (let copies = 0; copies <= (fault.repeat ?? 0); copies += 1) this.#send(unsigned);
      this.#release();
    };
    if (fault.delayMs === undefined) send();
    else if (!this.#sender.later(fault.delayMs, send)) unsigned.onAttempt?.(false, true);
  }

  /** Sends a forged notification. Its attempts are not recorded. */
  forge(unsigned: UnsignedNotification, forgery: NonNullable<EventFault['forge']>): void {
    this.#sender.send(forgeNotification(unsigned, forgery));
  }

  clear(): void {
    this.#heldNotifications = [];
    this.#sender.clear();
  }

  #send(unsigned: UnsignedNotification): void {
    if (!this.#sender.send(signNotification(unsigned))) unsigned.onAttempt?.(false, true);
  }

  #release(): void {
    for (const unsigned of this.#heldNotifications.splice(0)) this.#send(unsigned);
  }
}
