// Approves what a run is waiting for: its canary, pictures that changed too much, or assets at approval nodes.
import type { Client } from '@temporalio/client';
import { openConnector } from '../../connectors/index.ts';
import type { Estimate } from '../../engine/cost/step-cost.ts';
import { commandFailures } from '../../failures/commands.ts';
import { maxClaimsRead, withClaimedWork } from '../../features/claimed-work.ts';
import { withCostConfigs } from '../../features/cost-config.ts';
import { estimate } from '../../features/estimate.ts';
import {
  computeCanaryTotals,
  countRemainingAssets,
  isApprovalCause,
} from '../../plan/contract/canary.ts';
import type { Discovery, RunProgress, RunStart } from '../../plan/contract/contract.ts';
import { shardsOfCanary } from '../../plan/contract/sharding.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { picturesChangedCode } from '../../plan/run/run-cause.ts';
import type { Totals } from '../../plan/shard/totals.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { HeldPicture } from '../../store/runs/pictures/held-pictures.ts';
import { readRunInput } from '../../temporal/runs/read-run-input.ts';
import type { App } from '../app.ts';
import { assertNotPaused } from '../assert-not-paused.ts';
import { RenderlineError } from '../renderline-error.ts';
import { runEndedError, signalRun, waitForState } from '../runs/control.ts';
import { openStoreOfRun } from '../runs/open-run-store.ts';
import { type RunDetails, readRunDetails } from '../runs/run-details.ts';
import { formatDestinations, type RunShape } from '../runs/run-shape.ts';
import { queryProgress, type RunSnapshot, readAllowedRun } from '../runs/run-snapshot.ts';
import { readUndecided } from '../runs/waiting-assets.ts';
import { withTemporal } from '../temporal-client.ts';
import {
  type DecisionCause,
  decide,
  decidePictures,
  type EarlierDecision,
  type PictureVerdict,
} from './decide.ts';
import { assertRecordsFound, recordsElsewhereError } from './records-elsewhere.ts';
import {
  type ApprovalVerdict,
  type AssetVerdict,
  countVerdicts,
  type DecisionOptions,
  decideVerdicts,
  hasSelection,
  type VerdictCounts,
} from './verdicts.ts';

export interface ApprovalShape {
  schema: 'renderline/approve/v1';
  run: string;
  approved: 'now' | 'before' | 'no';
  state: string;
  /** Totals of the canary. Null if the run waits for another approval, or if its canary is already approved. */
  canary: Totals | null;
  remaining: number | null;
  /** Number of requests for the remaining assets. Null if unknown. */
  requests: number | null;
  destination: string | null;
  files: number | null;
  failures: RunShape['failures'];
  pictures: (Pick<HeldPicture, 'key' | 'path' | 'before' | 'after'> & {
    change: number;
    verdict: ApprovalVerdict;
  })[];
  /** Numbers of assets at approval nodes, or of changed pictures, by verdict. Null if the run waits for neither. */
  decided: VerdictCounts | null;
  earlier: EarlierDecision[];
  assets: { key: string; node: string; verdict: ApprovalVerdict; pictures: string[] }[];
}

export type ApprovalPreview = {
  run: string;
  shape: ApprovalShape;
} & (
  | { kind: 'approved-before' }
  | { kind: 'canary'; request: ApprovalRequest; cost: RemainingWork | null }
  | { kind: 'assets'; snapshot: RunSnapshot; verdicts: AssetVerdict[] }
  | {
      kind: 'pictures';
      snapshot: RunSnapshot;
      verdicts: PictureVerdict[];
      /** Pictures that somebody has already decided about. */
      decided: HeldPicture[];
      /** Text that lists all destinations. Null without an export. */
      destinations: string | null;
    }
);

/** Results of the canary that are waiting for approval. */
export interface ApprovalRequest {
  run: string;
  until: string;
  canary: Totals;
  /** Number of assets that start after the approval. */
  remaining: number;
  destinations: string | null;
  files: number;
  failures: RunShape['failures'];
}

export interface ApprovalResult {
  shape: ApprovalShape;
  /** Progress of the run after the approval. Null if no worker has answered yet, or if the run was already approved. */
  progress: RunProgress | null;
}

/**
 * Reads what waits for approval. Changes nothing.
 * @param options choose among changed pictures or assets at approval nodes
 * @throws RenderlineError if the run has ended, needs no approval or is not yet waiting for it, or if the options
 *   match nothing that waits
 */
export async function previewApproval(
  app: App,
  run: string,
  options: DecisionOptions = {},
): Promise<ApprovalPreview> {
  await app.usePlugins();
  return withTemporal(app, async (temporal) => {
    const snapshot = await readAllowedRun(app, temporal.client, run);
    if (snapshot.status !== 'running') throw runEndedError(snapshot, 'approve');
    const report = await readRunDetails(temporal.client, snapshot, app.now());
    if (report.unreadable !== null) throw report.unreadable;
    const { progress } = report;
    if (isAwaitingPictures(progress)) return previewPictures(snapshot, report, options);
    if (hasSelection(options) || !isApprovalCause(progress?.cause)) {
      const preview = await previewAssets(snapshot, report, options);
      if (preview !== null) return preview;
    }
    // A selection of assets or pictures must never approve the whole canary.
    if (hasSelection(options)) throw nothingToChooseError(run, progress);
    const request = readApprovalRequest(run, report);
    const shape = createEmptyShape(run, progress);
    if (request === null)
      return { kind: 'approved-before', run, shape: { ...shape, approved: 'before' } };
    const start = await readRunInput(temporal.client, run);
    const cost = await estimateRemainingWork(snapshot, start, progress?.discovery ?? null);
    const { canary, remaining, files, failures } = request;
    const { destination } = report.shape;
    const requests = cost?.requests.total ?? null;
    const canaryShape = { ...shape, canary, remaining, requests, destination, files, failures };
    return { kind: 'canary', run, shape: canaryShape, request, cost };
  });
}

/** Previews the decisions about assets at approval nodes. Returns null if no asset waits there. */
async function previewAssets(
  snapshot: RunSnapshot,
  { progress, shape: { destination } }: RunDetails,
  options: DecisionOptions,
): Promise<ApprovalPreview | null> {
  const { run } = snapshot;
  const store = openStoreOfRun(snapshot);
  const waitingAssets = await readUndecided(store, run);
  if (waitingAssets.length === 0) {
    await assertRecordsFound(snapshot, store, async () => progress);
    return null;
  }
  const verdicts = await decideVerdicts(waitingAssets, options, run, store);
  const decided = countVerdicts(verdicts);
  const assets = verdicts.map(({ asset: { key, node, pictures }, verdict }) => ({
    key,
    node,
    verdict,
    pictures: pictures.map(({ path }) => path),
  }));
  const shape = { ...createEmptyShape(run, progress), destination, decided, assets };
  return { kind: 'assets', run, shape, snapshot, verdicts };
}

/** Previews the undecided pictures, the most changed first. Empty if all are decided but the run was not resumed. */
async function previewPictures(
  snapshot: RunSnapshot,
  { progress, shape: reportShape }: RunDetails,
  options: DecisionOptions,
): Promise<ApprovalPreview> {
  const { run } = snapshot;
  const { destination } = reportShape;
  const destinations = formatDestinations(reportShape);
  const store = openStoreOfRun(snapshot);
  const heldPictures = await store.heldPictures.all();
  if (heldPictures.length === 0) throw recordsElsewhereError(snapshot, 'Changed pictures');
  const decided = heldPictures.filter(({ decision }) => decision !== undefined);
  const waitingPictures = heldPictures.filter(({ decision }) => decision === undefined);
  waitingPictures.sort((a, b) => b.share - a.share);
  const verdicts =
    waitingPictures.length === 0 ? [] : await decideVerdicts(waitingPictures, options, run, store);
  const pictures = verdicts.map(({ asset: { key, path, share, before, after }, verdict }) => {
    return { key, path, change: share, verdict, before, after };
  });
  const counts = countVerdicts(verdicts);
  const shape = { ...createEmptyShape(run, progress), destination, pictures, decided: counts };
  return { kind: 'pictures', run, shape, snapshot, verdicts, decided, destinations };
}

function createEmptyShape(run: string, progress: RunProgress | null): ApprovalShape {
  return {
    schema: 'renderline/approve/v1',
    run,
    approved: 'no',
    state: progress?.state ?? 'running',
    canary: null,
    remaining: null,
    requests: null,
    destination: null,
    files: null,
    failures: [],
    pictures: [],
    decided: null,
    earlier: [],
    assets: [],
  };
}

/**
 * Applies the preview's decisions. After approving the canary or pictures, waits until the run has reacted. Pictures
 * that the run holds back later need another approval.
 * @throws RenderlineError if the run has ended, during a general pause, or if a rejection has no reason
 */
export async function approve(
  app: App,
  preview: ApprovalPreview,
  { reason }: { reason?: string | undefined } = {},
): Promise<ApprovalResult> {
  if (preview.kind === 'approved-before') return { shape: preview.shape, progress: null };
  return withTemporal(app, async ({ client }) => {
    const { taskQueue, pipeline } = await readAllowedRun(app, client, preview.run);
    await assertNotPaused(client, taskQueue, pipeline);
    app.beginChange();
    const cause = { reason, nowMs: app.now() };
    const { progress, ...changes } = await approveKind(client, preview, cause);
    const state = progress?.state ?? 'running';
    return { shape: { ...preview.shape, ...changes, approved: 'now', state }, progress };
  });
}

async function approveKind(
  client: Client,
  preview: Exclude<ApprovalPreview, { kind: 'approved-before' }>,
  cause: DecisionCause,
): Promise<Partial<ApprovalShape> & { progress: RunProgress | null }> {
  const { run } = preview;
  if (preview.kind === 'canary')
    return { progress: await approveCanary(client, run, cause.reason) };
  if (preview.kind === 'pictures') return approvePictures(client, preview, cause);
  const store = openStoreOfRun(preview.snapshot);
  const result = await decide(client, run, store, preview.verdicts, cause);
  return { ...result, progress: await queryProgress(client, run) };
}

async function approveCanary(client: Client, run: string, reason: string | undefined) {
  await signalRun(client, 'approve', run, omitUndefined({ reason }));
  const isCanaryApproved = ({ canary }: RunProgress) => canary?.state === 'approved';
  const reachedState = await waitForState(client, run, isCanaryApproved);
  const { progress } = reachedState;
  // It is not an error if the run has ended but was approved, because somebody else may have approved it meanwhile.
  const isApproved = progress !== null && isCanaryApproved(progress);
  if (progress?.canary?.state === 'refused' || (reachedState.endedAtMs !== null && !isApproved))
    throw runEndedError(reachedState, 'approve');
  return progress;
}

async function approvePictures(
  client: Client,
  { run, snapshot, verdicts }: Extract<ApprovalPreview, { kind: 'pictures' }>,
  cause: DecisionCause,
) {
  const { reason } = cause;
  const result = await decidePictures(client, openStoreOfRun(snapshot), verdicts, cause);
  const { approved: pictures, rejected, waiting } = result.decided;
  if (pictures + rejected === 0) {
    const progress = await queryProgress(client, run);
    // If all pictures are decided but the run still waits, an earlier resume failed. Resuming again is harmless.
    const isLeft = waiting === 0 && isAwaitingPictures(progress);
    if (!isLeft) return { ...result, progress };
  }
  await signalRun(client, 'resume', run, { pictures, rejected, ...omitUndefined({ reason }) });
  const reachedState = await waitForState(client, run, (now) => !isAwaitingPictures(now));
  if (reachedState.status === 'cancelled' || reachedState.status === 'terminated')
    throw runEndedError(reachedState, 'approve');
  return { ...result, progress: reachedState.progress };
}

/** True if the run waits for the approval of changed pictures, as opposed to its canary. */
export function isAwaitingPictures(progress: RunProgress | null): boolean {
  return progress?.state === 'paused' && progress.cause?.code === picturesChangedCode;
}

/**
 * Reads the results to approve. Returns null if the run is already approved.
 * @throws RenderlineError if no worker answers, or the run has ended, needs no approval, or does not yet wait for it
 */
export function readApprovalRequest(
  run: string,
  { progress, shape }: RunDetails,
): ApprovalRequest | null {
  if (progress === null) {
    throw new RenderlineError(
      commandFailures.NO_WORKER,
      `No worker responds for the run ${run}, so its results cannot be shown.`,
      { details: { run } },
    );
  }
  const { canary, discovery, state, totals } = progress;
  if (discovery === null) throw notWaitingError(run, 'it is still discovering its assets');
  if (canary === undefined)
    throw new RenderlineError(
      commandFailures.ASKS_FOR_NOTHING,
      `The run ${run} needs no approval: no asset is waiting at an \`approval\` node, and its file has no \`canary\`, or the canary covers all assets.`,
      { fix: `See its status: renderline show ${run}`, details: { run } },
    );
  if (canary.state === 'approved') return null;
  if (canary.state === 'running')
    throw notWaitingError(
      run,
      `its canary (${formatCount(canary.assets, 'asset')}) is in progress`,
    );
  if (canary.state !== 'waiting')
    throw runEndedError({ run, status: state, endedAtMs: null }, 'approve');
  return {
    run,
    until: canary.until,
    canary: computeCanaryTotals(discovery, totals, canary),
    remaining: countRemainingAssets(discovery, canary),
    destinations: formatDestinations(shape),
    files: shape.files.length,
    failures: shape.failures,
  };
}

function notWaitingError(run: string, reason: string): RenderlineError {
  return new RenderlineError(
    commandFailures.NOT_ASKED_YET,
    `Run ${run} is not waiting for approval yet: ${reason}.`,
    { fix: `Follow the run until then: renderline show ${run} --wait`, details: { run } },
  );
}

/** Creates the error for a selection when no asset awaits its own decision. A canary is only approved as a whole. */
function nothingToChooseError(run: string, progress: RunProgress | null): RenderlineError {
  const [reason, fix] = isApprovalCause(progress?.cause)
    ? [
        `${run} is waiting for approval of its canary (its first assets), which is approved as a whole`,
        `Approve it without --only, --where and --reject: renderline approve ${run}`,
      ]
    : [
        `No asset of ${run} is waiting for an individual decision`,
        `See its status: renderline show ${run}`,
      ];
  const message = `${reason}. Nothing was decided.`;
  return new RenderlineError(commandFailures.NOTHING_TO_CHOOSE, message, { fix, details: { run } });
}

export type RemainingWork = Pick<Estimate, 'requests' | 'renders' | 'max' | 'min'>;

/** Estimates the cost of the assets after the canary. Null if unknown. @param start input of the run, if known */
export async function estimateRemainingWork(
  snapshot: RunSnapshot,
  start: RunStart | null,
  discovery: Discovery | null,
): Promise<RemainingWork | null> {
  if (start === null || snapshot.memo === null || discovery === null) return null;
  const { plan } = start;
  const first = shardsOfCanary(discovery, plan);
  if (first === null) return null;
  const shards = Array.from({ length: discovery.pages - first }, (_, index) => first + index);
  try {
    const store = openStoreOfRun(snapshot);
    const pages = await mapBounded(shards, (shard) => store.runAssets.page(shard));
    const unstarted = { assets: pages.flat() };
    const bounds = { maxRead: maxClaimsRead };
    const assets = await withClaimedWork(store, plan.stages, unstarted, bounds);
    // Without assets, the work is unknown: the records must be on another machine.
    if (assets.length === 0) return null;
    return estimate(await withCostConfigs(plan, openConnector), { assets }, null);
  } catch {
    // Unreachable records must not prevent an approval.
    return null;
  }
}
