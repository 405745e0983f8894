// The assets of a run that wait for a decision, for pages on which a person decides about each.

import { commandFailures } from '../../failures/commands.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readAllowedRun } from '../runs/run-snapshot.ts';
import { withTemporal } from '../temporal-client.ts';
import { decide } from './decide.ts';
import {
  judgeAssets,
  readWaitingAssets,
  type Verdict,
  type WaitingAsset,
} from './waiting-assets.ts';

/** Identifies a waiting asset in a form. */
export function nameOfWaiting({ node, key }: Pick<WaitingAsset, 'node' | 'key'>): string {
  return JSON.stringify([node, key]);
}

/**
 * Empty if no asset of the run waits.
 * @param where condition that the assets meet
 * @throws WhereError if the condition is invalid; RenderlineError if it matches none of those that wait
 */
export async function listWaitingAssets(
  app: App,
  run: string,
  where: string | undefined,
): Promise<WaitingAsset[]> {
  return withTemporal(app, async ({ client }) => {
    const snapshot = await readAllowedRun(app, client, run);
    return snapshot.status === 'running' ? readWaiting(openStoreOfRun(snapshot), run, where) : [];
  });
}

/** What a person decides on a page. */
export interface NamedDecisions {
  /** By the names of assets. */
  verdicts: ReadonlyMap<string, Verdict>;
  /** What happens to all other assets. */
  rest: Verdict;
  /** Condition that the assets meet; the others keep waiting. */
  where?: string | undefined;
  reason?: string | undefined;
}

/**
 * @throws RenderlineError if nothing is decided, or if something is rejected without a reason
 */
export async function decideByName(
  app: App,
  run: string,
  { verdicts, rest, where, reason }: NamedDecisions,
): Promise<void> {
  await withTemporal(app, async ({ client }) => {
    const store = openStoreOfRun(await readAllowedRun(app, client, run));
    const waiting = await readWaiting(store, run, where);
    const judged = waiting.map((asset) => ({
      asset,
      verdict: verdicts.get(nameOfWaiting(asset)) ?? rest,
    }));
    if (judged.every(({ verdict }) => verdict === 'wait'))
      throw new RenderlineError(commandFailures.NO_MATCH, 'Nothing was decided.', {
        fix: 'Approve or reject at least one asset that still waits.',
      });
    await decide(client, run, store, judged, reason);
  });
}

async function readWaiting(store: RunStore, run: string, where: string | undefined) {
  const ended = new Set<string>();
  for await (const { key } of store.readResults(run)) ended.add(key);
  const waiting = await readWaitingAssets(store, (key) => ended.has(key));
  if (where === undefined || waiting.length === 0) return waiting;
  const judged = await judgeAssets(waiting, { where }, run, store);
  return judged.flatMap(({ asset, verdict }) => (verdict === 'wait' ? [] : [asset]));
}
