// Dependencies for listing assets, for a run, a plan or a sweep.
import type { CallOptions, Client } from '../../api/client.ts';
import type { OperationId } from '../../api/operations/index.ts';
import { listPages, type PageFields } from '../../api/pages.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import type { Connector } from '../../connectors/connector.ts';
import type { OpenRows } from '../rows/open-rows.ts';
import { readWithRetry } from './read-with-retry.ts';

export interface ListDeps {
  /** Node under which refused sources are reported. */
  readonly node: string;
  /** Platform ids that the run was started for. They replace the file's selection. Null if the selection applies. */
  readonly ids: readonly string[] | null;
  /** True for a run, which may write to the platform while it lists. False for a plan or a sweep, which only read. */
  readonly mayWrite: boolean;
  /** Lists only objects created at or after this time, epoch ms by the platform's clock. If absent, lists all. */
  readonly minCreatedAtMs?: number;
  /** The platform's client. Lists of files never call this function. */
  readonly client: () => Client;
  /** Returns a connector of the pipeline by its name in the pipeline file. */
  readonly getConnector: (name: string) => Connector;
  /** The opened tables of the plan. Absent or null if the plan has none. */
  readonly rows?: OpenRows | null;
  readonly requests: RequestCounter;
  readonly now: () => number;
}

/** Returns the items of a newest-first list, stopping at the first one created before `minCreatedAtMs`. */
export async function* filterCreatedSince<Item extends { createdAt?: string | undefined }>(
  list: AsyncIterable<Item>,
  { minCreatedAtMs }: ListDeps,
): AsyncGenerator<Item> {
  for await (const item of list) {
    if (minCreatedAtMs !== undefined && Date.parse(item.createdAt ?? '') < minCreatedAtMs) return;
    yield item;
  }
}

/** Lists all items of a list operation. The request for each page is retried. */
export function listWithRetry<Query extends object, Output extends PageFields>(
  operation: OperationId,
  list: (input: { query?: Query }, options: CallOptions) => Promise<Output>,
  query: NoInfer<Query>,
  context: ListDeps,
  signal: AbortSignal | undefined,
) {
  const options = listOptions(context, signal);
  const read = (input: { query?: Query }) => readWithRetry(() => list(input, options), signal);
  return listPages(operation, read, query);
}

/** Options for list requests. */
export function listOptions(
  { requests }: Pick<ListDeps, 'requests'>,
  signal: AbortSignal | undefined,
) {
  return { priority: 'create' as const, requestCounter: requests, signal };
}
