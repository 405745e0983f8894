// Lists the items that were created since a call was first sent, by the platform's clock.
import type { CallOptions } from '../../api/client.ts';
import { type OperationId, operations } from '../../api/operations/index.ts';
import { type ItemOf, type PageFields, readPages } from '../../api/pages.ts';
import { asRecord } from '../../api/unknown-values.ts';
import type { Intent } from '../../store/calls/intents.ts';
import type { NodeContext } from '../node-context.ts';
import { callOptions } from './call-outcome.ts';

/** Maximum number of items to read from a list. */
const maxItems = 2_000;
/** Tolerance, because both the platform's clock (from `Date` headers) and creation times may be in whole seconds. */
const slackMs = 2_000;

export interface ListRequest<Output extends PageFields> {
  readonly operation: OperationId;
  readonly isNewestFirst: boolean;
  readonly read: (
    query: { limit: number; offset: number },
    options: CallOptions,
  ) => Promise<{ output: Output }>;
}

/** Returns the items created since the call, or null if the list is too long or lacks creation times. */
export async function listCreatedSince<Output extends PageFields>(
  { operation, isNewestFirst, read }: ListRequest<Output>,
  { createdAt, ambiguousSince = createdAt }: Intent,
  context: NodeContext,
): Promise<ItemOf<Output>[] | null> {
  const items = readPages(operations[operation], async (pageWindow) => {
    const { output } = await read(pageWindow, callOptions(context));
    return output;
  });
  const itemsSince: ItemOf<Output>[] = [];
  let itemsRead = 0;
  for await (const item of items) {
    const createdAtMs = Date.parse(String(asRecord(item)['createdAt']));
    if (Number.isNaN(createdAtMs)) return null;
    const isSince = createdAtMs >= Date.parse(ambiguousSince) - slackMs;
    if (isSince) itemsSince.push(item);
    else if (isNewestFirst) return itemsSince;
    itemsRead += 1;
    if (itemsRead >= maxItems) return null;
  }
  return itemsSince;
}
