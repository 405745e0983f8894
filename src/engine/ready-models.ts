// Models that are ready and were made since a time: what a sweep for missed events looks at.
import type { Client } from '../api/client.ts';
import type { RequestCounter } from '../api/counter.ts';
import { pages } from '../api/pages.ts';
import { readPatiently } from './read-patiently.ts';

/** The list is newest first, so it is read down to that time. */
export async function readyModelsSince(
  client: Client,
  sinceMs: number,
  requests: RequestCounter,
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>();
  for (const status of ['READY', 'APPROVED'] as const) {
    const list = pages(
      (input: Parameters<typeof client.listModels>[0]) =>
        readPatiently(() => client.listModels(input, { scope: requests, signal }), signal),
      { status },
    );
    for await (const { modelId, createdAt } of list) {
      if (Date.parse(createdAt) < sinceMs) break;
      found.add(modelId);
    }
  }
  return [...found];
}
