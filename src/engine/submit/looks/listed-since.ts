// What a list shows that came into being since a call was first sent, by the platform's own clock.
import type { CallOptions } from '../../../api/client.ts';
import { type PageFields, readPages } from '../../../api/pages.ts';
import type { NodeContext } from '../../../nodes/node-context.ts';
import type { Intent } from '../../../store/intents.ts';
import { lookOptions } from './finding.ts';

/** A longer list is not read to its end. */
const itemsAtMost = 2_000;
/** Dates of answers are whole seconds. */
const slackMs = 1_000;

export interface ListOf<Item extends { createdAt: string }> {
  readonly read: (
    query: { limit: number; offset: number },
    options: CallOptions,
  ) => Promise<{ output: PageFields & { items: Item[] }; meta: { date: number | undefined } }>;
  readonly isNewestFirst: boolean;
}

/** null where the list is too long to tell. */
export async function listedSince<Item extends { createdAt: string }>(
  { read, isNewestFirst }: ListOf<Item>,
  { createdAt, doubtSince = createdAt }: Intent,
  context: NodeContext,
): Promise<Item[] | null> {
  let aheadMs = 0;
  const all = readPages(async (place) => {
    const { output, meta } = await read(place, lookOptions(context));
    aheadMs = (meta.date ?? context.now()) - context.now();
    return output;
  });
  const found: Item[] = [];
  let seen = 0;
  for await (const item of all) {
    const isSince = Date.parse(item.createdAt) >= Date.parse(doubtSince) + aheadMs - slackMs;
    if (isSince) found.push(item);
    else if (isNewestFirst) return found;
    seen += 1;
    if (seen >= itemsAtMost) return null;
  }
  return found;
}
