// The assets of a run that wait for a decision, for pages on which a person decides about each.

import { commandFailures } from '../../failures/commands.ts';
import type { HeldPicture } from '../../store/runs/pictures/held-pictures.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { App } from '../app.ts';
import { refuseWhilePaused } from '../refuse-while-paused.ts';
import { RenderlineError } from '../renderline-error.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readAllowedRun } from '../runs/run-snapshot.ts';
import { nameOfWaiting, readUndecided, type WaitingAsset } from '../runs/waiting-assets.ts';
import { withTemporal } from '../temporal-client.ts';
import { approve, previewApproval } from './approval.ts';
import { decide, type EarlierDecision } from './decide.ts';
import { judge, type Verdict } from './verdicts.ts';

/**
 * Empty if no asset of the run waits, or none of them meets the condition.
 * @param where condition that the assets meet
 * @throws WhereError if the condition is invalid
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
  /** Number of assets that waited when the person saw the page. More of them are not approved unseen. */
  seen: number;
  /** Condition that the assets meet; the others keep waiting. */
  where?: string | undefined;
  reason?: string | undefined;
}

/**
 * @returns decisions that somebody else made first, and that stand
 * @throws RenderlineError if nothing is decided, if something is rejected without a reason, or if everything is paused
 */
export async function decideByName(
  app: App,
  run: string,
  { verdicts, rest, seen, where, reason }: NamedDecisions,
): Promise<EarlierDecision[]> {
  return withTemporal(app, async ({ client }) => {
    const snapshot = await readAllowedRun(app, client, run);
    await refuseWhilePaused(client, snapshot.taskQueue, snapshot.pipeline);
    const store = openStoreOfRun(snapshot);
    const waiting = await readWaiting(store, run, where);
    if (rest !== 'wait' && waiting.length > seen) throw moreWaitError(waiting.length - seen);
    const judged = waiting.map((asset) => ({
      asset,
      verdict: verdicts.get(nameOfWaiting(asset)) ?? rest,
    }));
    const earlier = await readEarlier(store, waiting, verdicts);
    if (earlier.length === 0 && judged.every(({ verdict }) => verdict === 'wait'))
      throw new RenderlineError(commandFailures.NO_MATCH, 'Nothing was decided.', {
        fix: 'Approve or reject at least one asset that still waits.',
      });
    const result = await decide(client, run, store, judged, reason);
    return [...earlier, ...result.earlier];
  });
}

/** Approves what a run is paused for: its first assets, or changed pictures. */
export interface WholeApproval {
  /** Names of changed pictures that must not be delivered. */
  rejected: ReadonlySet<string>;
  /** Number of changed pictures on the page. More of them are not approved unseen. */
  seen: number;
  reason: string | undefined;
}

/** Identifies a changed picture in a form. */
export function nameOfPicture({ key, path }: Pick<HeldPicture, 'key' | 'path'>): string {
  return JSON.stringify([key, path]);
}

/** @throws RenderlineError if the run waits for something else by now */
export async function approveOnPage(
  app: App,
  run: string,
  { rejected, seen, reason }: WholeApproval,
): Promise<void> {
  const preview = await previewApproval(app, run);
  if (preview.kind === 'assets')
    throw new RenderlineError(
      commandFailures.NOT_CONFIRMED,
      `The run ${run} waits for decisions about single assets. Nothing was approved.`,
      { fix: 'Look at their pictures, then decide.' },
    );
  if (preview.kind !== 'pictures') return void (await approve(app, preview, { reason }));
  if (preview.verdicts.length > seen) throw moreWaitError(preview.verdicts.length - seen);
  const verdicts = preview.verdicts.map(({ asset, verdict }) => ({
    asset,
    verdict: rejected.has(nameOfPicture(asset)) ? ('reject' as const) : verdict,
  }));
  await approve(app, { ...preview, verdicts }, { reason });
}

function moreWaitError(more: number): RenderlineError {
  const what = `${more} more`;
  return new RenderlineError(
    commandFailures.NOT_CONFIRMED,
    `Since the page was loaded, ${what} ${more === 1 ? 'waits' : 'wait'}. Nothing was decided.`,
    { fix: 'Load the page again, look at their pictures, then decide.' },
  );
}

/** Decisions about named assets that do not wait any more. */
async function readEarlier(
  { approvals }: RunStore,
  waiting: readonly WaitingAsset[],
  verdicts: NamedDecisions['verdicts'],
): Promise<EarlierDecision[]> {
  const open = new Set(waiting.map(nameOfWaiting));
  const gone = [...verdicts].filter(([name, verdict]) => verdict !== 'wait' && !open.has(name));
  if (gone.length === 0) return [];
  const names = new Set(gone.map(([name]) => name));
  const earlier: EarlierDecision[] = [];
  for (const node of new Set((await approvals.shown()).map((page) => page.node))) {
    for (const [key, decision] of await approvals.decisions(node)) {
      if (names.has(nameOfWaiting({ node, key }))) earlier.push({ key, node, ...decision });
    }
  }
  return earlier;
}

async function readWaiting(
  store: RunStore,
  run: string,
  where: string | undefined,
): Promise<WaitingAsset[]> {
  const waiting = await readUndecided(store, run);
  if (where === undefined || waiting.length === 0) return waiting;
  try {
    const judged = await judge(waiting, { where }, run, store);
    return judged.flatMap(({ asset, verdict }) => (verdict === 'wait' ? [] : [asset]));
  } catch (error) {
    if (error instanceof RenderlineError && error.code === commandFailures.NO_MATCH.code) return [];
    throw error;
  }
}
