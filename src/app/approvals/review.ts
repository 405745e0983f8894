// The assets of a run that wait for a decision, for pages on which a person decides about each.

import { commandFailures } from '../../failures/commands.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readAllowedRun } from '../runs/run-snapshot.ts';
import { withTemporal } from '../temporal-client.ts';
import { decide } from './decide.ts';
import { readWaitingAssets, type Verdict, type WaitingAsset } from './waiting-assets.ts';

/** Identifies a waiting asset in a form. */
export function nameOfWaiting({ node, key }: Pick<WaitingAsset, 'node' | 'key'>): string {
  return JSON.stringify([node, key]);
}

/** Empty if no asset of the run waits. */
export async function listWaitingAssets(app: App, run: string): Promise<WaitingAsset[]> {
  return withTemporal(app, async ({ client }) => {
    const snapshot = await readAllowedRun(app, client, run);
    return snapshot.status === 'running' ? readWaiting(openStoreOfRun(snapshot), run) : [];
  });
}

/**
 * @param verdicts by the names of assets
 * @param rest what happens to all other assets
 * @throws RenderlineError if nothing is decided, or if something is rejected without a reason
 */
export async function decideByName(
  app: App,
  run: string,
  {
    verdicts,
    rest,
    reason,
  }: { verdicts: ReadonlyMap<string, Verdict>; rest: Verdict; reason?: string | undefined },
): Promise<void> {
  await withTemporal(app, async ({ client }) => {
    const store = openStoreOfRun(await readAllowedRun(app, client, run));
    const waiting = await readWaiting(store, run);
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

async function readWaiting(store: ReturnType<typeof openStoreOfRun>, run: string) {
  const ended = new Set<string>();
  for await (const { key } of store.readResults(run)) ended.add(key);
  return readWaitingAssets(store, (key) => ended.has(key));
}
