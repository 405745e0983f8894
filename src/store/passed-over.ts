// What assets have on the platform that runs pass over: they are never delivered, so no record names it.
import type { SettledAsset } from '../plan/contract.ts';
import { mapBounded } from './bounded.ts';
import type { JsonObjects } from './json-objects.ts';
import type { Made } from './made-things.ts';
import { thingId, thingsOf } from './platform-things.ts';
import { readResultsPage } from './results.ts';
import type { RunFolder } from './run-folders.ts';

/** Of the things of assets without claim and record, the newest of each kind that a run has passed over. */
export async function passedOver(
  made: readonly Made[],
  runs: readonly RunFolder[],
  objects: JsonObjects,
  signal: AbortSignal,
): Promise<Made[]> {
  const byId = new Map(made.map((one) => [thingId(one), one]));
  const shards = new Set(made.map(({ runs: [run = ''], shard }) => placeOf(run, shard)));
  const pages = runs.flatMap(({ run, results }) =>
    results.filter(({ shard }) => shards.has(placeOf(run, shard))),
  );
  const newest = new Map<string, Made>();
  await mapBounded(
    pages,
    async ({ path }) => {
      for (const thing of (await readResultsPage(objects, path)).flatMap(thingsPassedOver)) {
        const one = byId.get(thingId(thing));
        if (one === undefined) continue;
        const name = `${one.kind} ${one.key}`;
        const known = newest.get(name);
        if (known === undefined || known.madeAt < one.madeAt) newest.set(name, one);
      }
    },
    { signal },
  );
  return [...newest.values()];
}

function thingsPassedOver(settled: SettledAsset) {
  return settled.outcome === 'skipped' ? thingsOf({ refs: settled.refs }) : [];
}

function placeOf(run: string, shard: number): string {
  return `${shard} ${run}`;
}
