// Lists and decides the waiting assets of a run, for pages on which a person decides about each asset.

import { commandFailures } from '../../failures/commands.ts';
import { shortHash } from '../../plan/helpers/short-hash.ts';
import type { HeldPicture } from '../../store/runs/pictures/held-pictures.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { App } from '../app.ts';
import { refuseWhilePaused } from '../refuse-while-paused.ts';
import { RenderlineError } from '../renderline-error.ts';
import { readFreshProgress } from '../runs/fresh-progress.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { readAllowedRun } from '../runs/run-snapshot.ts';
import { nameOfWaiting, readUndecided, type WaitingAsset } from '../runs/waiting-assets.ts';
import { withTemporal } from '../temporal-client.ts';
import { type ApprovalPreview, approve, previewApproval } from './approval.ts';
import { decide, type EarlierDecision } from './decide.ts';
import { refuseMissingRecords } from './records-elsewhere.ts';
import { type ApprovalVerdict, decideVerdicts, type VerdictOn } from './verdicts.ts';

/**
 * Lists the assets that wait for a decision and meet the condition. Empty if the run has ended.
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
    const waiting = await readWaiting(store, run, where);
    if (waiting.length === 0)
      await refuseMissingRecords(snapshot, store, () => readFreshProgress(client, run));
    return waiting;
  });
}

/** What a person decides on a page. */
export interface NamedDecisions {
  /** Verdicts by name of the asset (`nameOfWaiting`). */
  verdicts: ReadonlyMap<string, ApprovalVerdict>;
  /** Verdict on all other assets that wait. */
  rest: ApprovalVerdict;
  /**
   * Marks (`markOfAsset`) of the assets that the page showed. If `rest` is not `wait`, and an asset without a mark
   * here waits too, nothing is decided.
   */
  seen: ReadonlySet<string>;
  /** Condition that the assets meet; the others keep waiting. */
  where?: string | undefined;
  reason?: string | undefined;
}

/**
 * @returns decisions that somebody else made first, and that stand
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
    await refuseWhilePaused(client, snapshot.taskQueue, snapshot.pipeline);
    const store = openStoreOfRun(snapshot);
    const waiting = await readWaiting(store, run, where);
    if (rest !== 'wait') refuseUnseen(waiting.map(markOfAsset), seen);
    const judged = waiting.map((asset) => ({
      asset,
      verdict: verdicts.get(nameOfWaiting(asset)) ?? rest,
    }));
    const earlier = await readEarlier(store, waiting, verdicts);
    if (earlier.length === 0 && judged.every(({ verdict }) => verdict === 'wait'))
      throw new RenderlineError(commandFailures.NO_MATCH, 'Nothing was decided.', {
        fix: 'Approve or reject at least one asset that still waits.',
      });
    const why = reasonLeft(reason, [...verdicts.values()].includes('reject'), judged);
    const result = await decide(client, run, store, judged, {
      reason: why,
      nowMs: app.now(),
    });
    return [...earlier, ...result.earlier];
  });
}

/** Approves what a run is paused for: its first assets, or changed pictures. */
export interface WholeApproval {
  /** Names (`nameOfPicture`) of changed pictures that must not be delivered. */
  rejected: ReadonlySet<string>;
  /**
   * Marks (`markOfPicture`) of the pictures that the page showed. If a picture without a mark here waits too, nothing
   * is decided. Null: the page showed the canary.
   */
  seen: ReadonlySet<string> | null;
  reason: string | undefined;
}

/** Identifies a changed picture in a form. */
export function nameOfPicture({ key, path }: Pick<HeldPicture, 'key' | 'path'>): string {
  return JSON.stringify([key, path]);
}

/** Form value that states that the person has seen the asset. Short, because a form may have thousands of marks. */
export function markOfAsset(asset: Pick<WaitingAsset, 'node' | 'key'>): string {
  return shortHash(nameOfWaiting(asset));
}

/** Form value that states that the person has seen the picture. A later version of the picture has another mark. */
export function markOfPicture({
  key,
  path,
  after,
}: Pick<HeldPicture, 'key' | 'path' | 'after'>): string {
  return shortHash(JSON.stringify([key, path, after]));
}

/**
 * @returns decisions that somebody else made first, and that stand
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
      `The run ${run} no longer waits for what the page showed. Nothing was decided.`,
      { fix: 'Load the page again.' },
    );
  await approve(app, preview, { reason: approval.reason });
  return [];
}

async function approveShownPictures(
  app: App,
  preview: Extract<ApprovalPreview, { kind: 'pictures' }>,
  { rejected, seen, reason }: WholeApproval,
): Promise<EarlierDecision[]> {
  const shown = seen ?? new Set<string>();
  const isRejected = (picture: HeldPicture) => rejected.has(nameOfPicture(picture));
  const waiting = preview.verdicts.map(({ asset }) => asset);
  refuseUnseen(waiting.map(markOfPicture), shown);
  const verdicts = waiting.map((asset) => ({
    asset,
    verdict: isRejected(asset) ? ('reject' as const) : ('approve' as const),
  }));
  const earlier = preview.decided.flatMap((picture): EarlierDecision[] => {
    const { key, node, decision } = picture;
    const isSent = isRejected(picture) || shown.has(markOfPicture(picture));
    if (decision === undefined || !isSent) return [];
    // An equal decision needs no notice. It may be this person's own, from an attempt that failed to resume the run.
    const isSame = isRejected(picture)
      ? decision.outcome === 'rejected' && decision.reason === reason
      : decision.outcome === 'approved';
    return isSame ? [] : [{ key, node, ...decision }];
  });
  const why = reasonLeft(reason, rejected.size > 0, verdicts);
  const { shape } = await approve(app, { ...preview, verdicts }, { reason: why });
  return [...earlier, ...shape.earlier];
}

/** @throws RenderlineError if something waits that the page did not show */
function refuseUnseen(waiting: readonly string[], seen: ReadonlySet<string>): void {
  const more = waiting.filter((mark) => !seen.has(mark)).length;
  if (more === 0) return;
  throw new RenderlineError(
    commandFailures.NOT_CONFIRMED,
    `Since the page was loaded, ${more} more ${more === 1 ? 'picture or asset needs' : 'pictures or assets need'} a decision. Nothing was decided.`,
    { fix: 'Load the page again, check the new pictures, then decide.' },
  );
}

/** Drops the reason if no rejection is left, because somebody else decided first: the reason does not fit approvals. */
function reasonLeft(
  reason: string | undefined,
  isRejecting: boolean,
  verdicts: readonly VerdictOn<unknown>[],
): string | undefined {
  const isLeft = !isRejecting || verdicts.some(({ verdict }) => verdict === 'reject');
  return isLeft ? reason : undefined;
}

/** Decisions about named assets that do not wait any more. */
async function readEarlier(
  { approvals }: RunStore,
  waiting: readonly WaitingAsset[],
  verdicts: NamedDecisions['verdicts'],
): Promise<EarlierDecision[]> {
  const open = new Set(waiting.map(nameOfWaiting));
  const absentNames = [...verdicts].filter(
    ([name, verdict]) => verdict !== 'wait' && !open.has(name),
  );
  if (absentNames.length === 0) return [];
  const names = new Set(absentNames.map(([name]) => name));
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
    const judged = await decideVerdicts(waiting, { where }, run, store);
    return judged.flatMap(({ asset, verdict }) => (verdict === 'wait' ? [] : [asset]));
  } catch (error) {
    if (error instanceof RenderlineError && error.code === commandFailures.NO_MATCH.code) return [];
    throw error;
  }
}
