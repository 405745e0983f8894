// Items of a list that were made since a call was first sent, by the platform's own clock.
import type { CallOptions } from '../../api/client.ts';
import { type OperationId, operations } from '../../api/operations/index.ts';
import { type ItemOf, type PageFields, readPages } from '../../api/pages.ts';
import type { Intent } from '../../store/calls/intents.ts';
import type { NodeContext } from '../node-context.ts';
import { lookOptions } from './finding.ts';

/** A longer list is not read to its end. */
const itemsAtMost = 2_000;
/** Dates of answers, which the platform's clock is known by, are whole seconds; and so may those of items be. */
const slackMs = 2_000;

export interface ListOf<Output extends PageFields> {
  readonly operation: OperationId;
  readonly isNewestFirst: boolean;
  readonly read: (
    query: { limit: number; offset: number },
    options: CallOptions,
  ) => Promise<{ output: Output }>;
}

/** null where the list does not tell: it is too long, or does not say when its items were made. */
export async function listedSince<Output extends PageFields>(
  { operation, isNewestFirst, read }: ListOf<Output>,
  { createdAt, doubtSince = createdAt }: Intent,
  context: NodeContext,
): Promise<ItemOf<Output>[] | null> {
  const all = readPages(operations[operation], async (place) => {
    const { output } = await read(place, lookOptions(context));
    return output;
  });
  const found: ItemOf<Output>[] = [];
  let seen = 0;
  for await (const item of all) {
    const madeMs = createdMs(item);
    if (Number.isNaN(madeMs)) return null;
    const isSince = madeMs >= Date.parse(doubtSince) - slackMs;
    if (isSince) found.push(item);
    else if (isNewestFirst) return found;
    seen += 1;
    if (seen >= itemsAtMost) return null;
  }
  return found;
}

/** NaN where an item does not say when it was made. */
function createdMs(item: unknown): number {
  if (typeof item !== 'object' || item === null || !('createdAt' in item)) return Number.NaN;
  return Date.parse(String(item.createdAt));
}
