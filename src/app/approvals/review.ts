// Lists the waiting assets of a run and stores decisions about them, for pages where people decide about each asset.

import { commandFailures } from '../../failures/commands.ts';
import { shortHashOf } from '../../plan/helpers/short-hash.ts';
import type { HeldPicture } from '../../store/runs/pictures/held-pictures.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { App } from '../app.ts';
import { assertNotPaused } from '../assert-not-paused.ts';
import { RenderlineError } from '../renderline-error.ts';
import { readFreshProgress } from '../runs/fresh-progress.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readAllowedRun } from '../runs/run-snapshot.ts';
import { nameOfWaiting, readUndecided, type WaitingAsset } from '../runs/waiting-assets.ts';
import { withTemporal } from '../temporal-client.ts';
import { type ApprovalPreview, approve, previewApproval } from './approval.ts';
import { decide, type EarlierDecision } from './decide.ts';
import { assertRecordsFound } from './records-elsewhere.ts';
import { type ApprovalVerdict, decideVerdicts, type VerdictOn } from './verdicts.ts';

/**
 * Lists the assets that wait for a decision and match the condition. Returns an empty list if the run has ended.
 * @throws WhereError if the condition is invalid; RenderlineError if the records of the run are not here
 */
export async function listWaitingAssets(
  app: App,
  run: string,
  where: string | undefined,
): Promise<WaitingAsset[]> {
  return withTemporal(app, async ({ client }) => {
    const snapshot = await readAllowedRun(app, client, run);
    if (snapshot.status !== 'running') return [];
    const store = openStoreOfRun(snapshot);
    const waitingAssets = await readWaiting(store, run, where);
    if (waitingAssets.length === 0)
      await assertRecordsFound(snapshot, store, () => readFreshProgress(client, run));
    return waitingAssets;
  });
}

/** The decisions that a person makes on a page. */
export interface NamedDecisions {
  /** Verdicts by asset name (`nameOfWaiting`). */
  verdicts: ReadonlyMap<string, ApprovalVerdict>;
  /** Verdict on all other waiting assets. */
  rest: ApprovalVerdict;
  /**
   * Marks (`markOfAsset`) of the assets that the page showed. Nothing is decided if `rest` is not `wait` and another
   * asset is waiting.
   */
  seen: ReadonlySet<string>;
  /** Decides only about assets that match this condition. */
  where?: string | undefined;
  reason?: string | undefined;
}

/**
 * @returns decisions that somebody else made first and that stay in force
 * @throws RenderlineError if nothing is to be decided, if an asset waits that the page did not show and `rest` is not
 *   `wait`, if something is rejected without a reason, or during a general pause
 */
export async function decideByName(
  app: App,
  run: string,
  { verdicts, rest, seen, where, reason }: NamedDecisions,
): Promise<EarlierDecision[]> {
  return withTemporal(app, async ({ client }) => {
    const snapshot = await readAllowedRun(app, client, run);
    await assertNotPaused(client, snapshot.taskQueue, snapshot.pipeline);
    const store = openStoreOfRun(snapshot);
    const waitingAssets = await readWaiting(store, run, where);
    if (rest !== 'wait') assertAllSeen(waitingAssets.map(markOfAsset), seen);
    const assetVerdicts = waitingAssets.map((asset) => ({
      asset,
      verdict: verdicts.get(nameOfWaiting(asset)) ?? rest,
    }));
    const earlierDecisions = await readEarlier(store, waitingAssets, verdicts);
    if (earlierDecisions.length === 0 && assetVerdicts.every(({ verdict }) => verdict === 'wait'))
      throw new RenderlineError(commandFailures.NO_MATCH, 'Nothing was decided.', {
        fix: 'Approve or reject at least one asset that is still waiting.',
      });
    const isRejecting = [...verdicts.values()].includes('reject');
    const cause = {
      reason: findRemainingReason(reason, isRejecting, assetVerdicts),
      nowMs: app.now(),
    };
    app.beginChange();
    const { earlier } = await decide(client, run, store, assetVerdicts, cause);
    return [...earlierDecisions, ...earlier];
  });
}

/** Approves what a run is paused for: its first assets, or changed pictures. */
export interface WholeApproval {
  /** Names (`nameOfPicture`) of changed pictures that must not be delivered. */
  rejected: ReadonlySet<string>;
  /**
   * Marks (`markOfPicture`) of the pictures that the page showed. Nothing is decided if another picture is waiting.
   * Null if the page showed the canary.
   */
  seen: ReadonlySet<string> | null;
  reason: string | undefined;
}

/** Identifies a changed picture in a form. */
export function nameOfPicture({ key, path }: Pick<HeldPicture, 'key' | 'path'>): string {
  return JSON.stringify([key, path]);
}

/** Form value stating that the person has seen the asset. Short, because a form may contain thousands of marks. */
export function markOfAsset(asset: Pick<WaitingAsset, 'node' | 'key'>): string {
  return shortHashOf(nameOfWaiting(asset));
}

/** Form value stating that the person has seen the picture. A later version of the picture has another mark. */
export function markOfPicture(picture: Pick<HeldPicture, 'key' | 'path' | 'after'>): string {
  return shortHashOf(JSON.stringify([picture.key, picture.path, picture.after]));
}

/**
 * @returns decisions that somebody else made first and that stay in force
 * @throws RenderlineError if the run no longer waits for what the page showed, or if it waits for more
 */
export async function approveOnPage(
  app: App,
  run: string,
  approval: WholeApproval,
): Promise<EarlierDecision[]> {
  const preview = await previewApproval(app, run);
  if (preview.kind === 'pictures') return approveShownPictures(app, preview, approval);
  if (approval.seen !== null || preview.kind === 'assets')
    throw new RenderlineError(
      commandFailures.NOT_CONFIRMED,
      `The page is out of date: the run ${run} is no longer waiting for these decisions. Nothing was decided.`,
      { fix: 'Reload the page.' },
    );
  await approve(app, preview, { reason: approval.reason });
  return [];
}

async function approveShownPictures(
  app: App,
  preview: Extract<ApprovalPreview, { kind: 'pictures' }>,
  { rejected, seen, reason }: WholeApproval,
): Promise<EarlierDecision[]> {
  const shownMarks = seen ?? new Set<string>();
  const isRejected = (picture: HeldPicture) => rejected.has(nameOfPicture(picture));
  const waitingPictures = preview.verdicts.map(({ asset }) => asset);
  assertAllSeen(waitingPictures.map(markOfPicture), shownMarks);
  const verdicts = waitingPictures.map((asset) => ({
    asset,
    verdict: isRejected(asset) ? ('reject' as const) : ('approve' as const),
  }));
  const earlierDecisions = preview.decided.flatMap((picture): EarlierDecision[] => {
    const { key, node, decision } = picture;
    const isSent = isRejected(picture) || shownMarks.has(markOfPicture(picture));
    if (decision === undefined || !isSent) return [];
    // An equal decision needs no notice. It may be this person's own, from an attempt that failed to resume the run.
    const isSame = isRejected(picture)
      ? decision.outcome === 'rejected' && decision.reason === reason
      : decision.outcome === 'approved';
    return isSame ? [] : [{ key, node, ...decision }];
  });
  const decisionReason = findRemainingReason(reason, rejected.size > 0, verdicts);
  const { shape } = await approve(app, { ...preview, verdicts }, { reason: decisionReason });
  return [...earlierDecisions, ...shape.earlier];
}

/** @throws RenderlineError if something is waiting that the page did not show */
function assertAllSeen(waitingMarks: readonly string[], seenMarks: ReadonlySet<string>): void {
  const unseenCount = waitingMarks.filter((mark) => !seenMarks.has(mark)).length;
  if (unseenCount === 0) return;
  throw new RenderlineError(
    commandFailures.NOT_CONFIRMED,
    `Since the page was loaded, ${unseenCount} more ${unseenCount === 1 ? 'picture or asset needs' : 'pictures or assets need'} a decision. Nothing was decided.`,
    { fix: 'Reload the page, check the new pictures, then decide.' },
  );
}

/** Drops the reason if somebody else decided first and no rejection is left. The reason would not fit approvals. */
function findRemainingReason(
  reason: string | undefined,
  isRejecting: boolean,
  verdicts: readonly VerdictOn<unknown>[],
): string | undefined {
  const isLeft = !isRejecting || verdicts.some(({ verdict }) => verdict === 'reject');
  return isLeft ? reason : undefined;
}

/** Reads the decisions about named assets that are no longer waiting. */
async function readEarlier(
  { approvals }: RunStore,
  waitingAssets: readonly WaitingAsset[],
  verdicts: NamedDecisions['verdicts'],
): Promise<EarlierDecision[]> {
  const names = new Set(verdicts.keys());
  for (const [name, verdict] of verdicts) if (verdict === 'wait') names.delete(name);
  for (const asset of waitingAssets) names.delete(nameOfWaiting(asset));
  if (names.size === 0) return [];
  const earlierDecisions: EarlierDecision[] = [];
  for (const node of new Set((await approvals.shown()).map((page) => page.node))) {
    for (const [key, decision] of await approvals.decisions(node)) {
      if (names.has(nameOfWaiting({ node, key })))
        earlierDecisions.push({ key, node, ...decision });
    }
  }
  return earlierDecisions;
}

async function readWaiting(
  store: RunStore,
  run: string,
  where: string | undefined,
): Promise<WaitingAsset[]> {
  const waitingAssets = await readUndecided(store, run);
  if (where === undefined || waitingAssets.length === 0) return waitingAssets;
  try {
    const assetVerdicts = await decideVerdicts(waitingAssets, { where }, run, store);
    return assetVerdicts.flatMap(({ asset, verdict }) => (verdict === 'wait' ? [] : [asset]));
  } catch (error) {
    if (error instanceof RenderlineError && error.code === commandFailures.NO_MATCH.code) return [];
    throw error;
  }
}
