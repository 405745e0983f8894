// The notices of a run, from the platform ids of its assets.
import type { PlatformIds } from '../../plan/platform-ids.ts';

export interface RunNotice {
  /** The `webhook-id` header of the notice. */
  id: string;
  node: string;
  /** HTTP status of the last response. Null if there was none. */
  status: number | null;
  attempts: number;
  at: string;
  delivered: boolean;
  assets: number;
}

export class RunNotices {
  readonly #notices = new Map<string, RunNotice>();

  add({ notices = {} }: PlatformIds): void {
    for (const [node, { about: _about, ...delivery }] of Object.entries(notices)) {
      const { id, status } = delivery;
      const isDelivered = status !== null && status < 300;
      const notice = this.#notices.get(id) ?? {
        ...delivery,
        node,
        delivered: isDelivered,
        assets: 0,
      };
      notice.assets += 1;
      this.#notices.set(id, notice);
    }
  }

  /** Returns each notice once, ordered by its last attempt. */
  sorted(): RunNotice[] {
    return [...this.#notices.values()].toSorted((a, b) => (a.at < b.at ? -1 : 1));
  }
}
