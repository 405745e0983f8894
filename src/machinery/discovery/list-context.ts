// Dependencies of a list of assets, while a run or a plan looks for them.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import type { Connector } from '../../connectors/connector.ts';

export interface ListContext {
  /** Node that refusals are reported under. */
  readonly node: string;
  /** Platform ids that the run was started for, in place of what the file selects; null: by the file. */
  readonly ids: readonly string[] | null;
  /** A run may write on the platform to find what it takes; a plan and a sweep only look. */
  readonly mayWrite: boolean;
  /** Only what was made at this time (platform clock) or later, where the file selects; absent: whenever it was made. */
  readonly sinceMs?: number;
  /** The platform. Lists of files never ask for it. */
  readonly client: () => Client;
  /** A connector of the pipeline, by the name that the file gives it. */
  readonly connectorNamed: (name: string) => Connector;
  readonly requests: RequestCounter;
  readonly now: () => number;
}

/** The items of a list that is newest first, down to what is older than the context asks for. */
export async function* madeSince<Item extends { createdAt?: string | undefined }>(
  list: AsyncIterable<Item>,
  { sinceMs }: ListContext,
): AsyncGenerator<Item> {
  for await (const item of list) {
    if (sinceMs !== undefined && Date.parse(item.createdAt ?? '') < sinceMs) return;
    yield item;
  }
}

/** Options of the requests that a list sends. */
export function listOptions({ requests }: ListContext, signal: AbortSignal | undefined) {
  return { priority: 'create' as const, scope: requests, ...(signal ? { signal } : {}) };
}
