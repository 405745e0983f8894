// Builds the report of a run from its result, its progress and its records.

import type { Client } from '@temporalio/client';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { readPaidWork } from '../../features/paid-work.ts';
import { FinishedAssets } from '../../features/results/finished-assets.ts';
import { explainAllFailures } from '../../features/run-report.ts';
import { decisionWaitCode, isApprovalCause } from '../../plan/contract/canary.ts';
import type {
  Discovery,
  FinalizedAsset,
  RunProgress,
  RunResult,
} from '../../plan/contract/contract.ts';
import { formatListing } from '../../plan/contract/format-listing.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import { allPausedCode } from '../../plan/run/general-pause.ts';
import { locationOf } from '../../plan/run/location.ts';
import type { PaidWork } from '../../plan/run/paid-work.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import { destinationsOf, type ExportMemo, type RunMemo } from '../../plan/run/run-memo.ts';
import type { RunAction } from '../../plan/run/run-timeline.ts';
import type { ConnectorSpec, Failure } from '../../plan/types.ts';
import { isUnreadableError, type UnreadableError } from '../../temporal/codec/codec-errors.ts';
import { readRunActions } from '../../temporal/runs/run-actions.ts';
import { RenderlineError } from '../renderline-error.ts';
import {
  findRetryMessage,
  findUnresponsive,
  formatUnresponsive,
  readFreshProgress,
} from './fresh-progress.ts';
import { openStoreOfRun } from './open-run-store.ts';
import { countAssets, pickCounts, type RunShape, type RunView, sumRequests } from './run-shape.ts';
import { type RunClosing, type RunSnapshot, readRunEnd } from './run-snapshot.ts';
import { collectWaits } from './run-waits.ts';

export interface RunDetails {
  shape: RunView;
  /** All finished assets, from the records. */
  finished: FinishedAssets;
  /** The run's own figures. Null if no worker answered, or if the run has a result and no worker was asked. */
  progress: RunProgress | null;
  steps: RunMemo['steps'];
  /** Where the run delivers its files. Empty if it does not deliver any. */
  destinations: readonly ConnectorSpec[];
  /** Which files are at which destination. Empty if there is only one export. */
  exports: readonly ExportMemo[];
  /** A remark for people about why the report may be incomplete and about who paused the run. */
  remark: string | null;
  /** What people did with the run. Null unless a person has paused it, because reading this takes time. */
  actions: RunAction[] | null;
  /** Set if a worker answered but its response cannot be decrypted here. */
  unreadable: Error | null;
}

/**
 * @param last newest progress that the caller already has
 * @param onAsset called for each finished asset
 */
export async function readRunDetails(
  client: Client,
  snapshot: RunSnapshot,
  nowMs: number,
  last: RunProgress | null = null,
  onAsset: (asset: FinalizedAsset) => void = () => undefined,
): Promise<RunDetails> {
  const isRunning = snapshot.status === 'running';
  const end = isRunning ? null : await readRunEnd(client, snapshot);
  const { progress, unreadable } = await readNewestProgress(client, snapshot, end, last);
  const stored = await readStoredResults(snapshot, onAsset);
  const { finished, discovery, remark } = stored;
  const cause = end?.cause ?? (isRunning ? (progress?.cause ?? null) : null);
  const newestDiscovery = end?.result || !progress ? discovery : progress.discovery;
  const sources = { ...stored, snapshot, progress, discovery: newestDiscovery };
  const hasBroken = snapshot.status === 'failed' || snapshot.status === 'terminated';
  const message = hasBroken && !end?.result && !cause ? (end?.message ?? '') : '';
  const silence = isRunning ? await findUnresponsive(client, progress, snapshot.run) : null;
  const trouble = silence && formatUnresponsive(silence);
  const noWorker = `no worker responds on task queue "${snapshot.taskQueue}"; start one with \`renderline worker\``;
  const isUnknown = progress === null && !end?.result;
  const whyUnreadable = unreadable && `${escapeToOneLine(unreadable.message)}\n${unreadable.fix}`;
  const unknownReason = isUnknown ? (whyUnreadable ?? trouble ?? noWorker) : null;
  const shape = { ...toShape(sources, end?.result ?? null, nowMs), cause, unknown: unknownReason };
  const silent = isRunning || unreadable !== null ? (unknownReason ?? trouble) : null;
  const listing = isRunning && newestDiscovery ? formatListing(newestDiscovery) : null;
  const waits =
    isRunning && progress !== null ? await findRetryMessage(client, progress, snapshot.run) : null;
  const isPausedByHand = isRunning && progress?.state === 'paused' && cause === null;
  // If the server does not respond, the report does not say who paused the run.
  const actions = isPausedByHand
    ? await readRunActions(client, snapshot.run).catch(() => null)
    : null;
  const pause = actions && formatPause(snapshot.run, actions);
  const gap = remark ?? (end?.result ? describeMissingResults(end.result, finished) : null);
  const troubles = [gap && escapeToOneLine(gap), pause, silent ?? waits].filter(
    (text) => text !== null,
  );
  const whyBroken = message === '' ? listing : escapeToOneLine(message);
  const { steps = [], exports = [] } = snapshot.memo ?? {};
  return {
    shape,
    finished,
    progress,
    steps,
    destinations: destinationsOf(snapshot.memo),
    exports,
    remark: troubles.length > 0 ? troubles.join('\n') : whyBroken,
    actions,
    unreadable,
  };
}

/**
 * Reports that records were removed or are on another machine. Returns null if they contain every complete asset.
 * Assets of a shard that broke fail without a record.
 */
function describeMissingResults(
  { assets }: RunResult,
  { totals: { complete: completeCount } }: FinishedAssets,
): string | null {
  if (completeCount >= assets.complete) return null;
  return `the records here contain ${formatNumber(completeCount)} of ${formatCount(assets.complete, 'complete asset')}; the others were removed or are on another machine`;
}

/** Formats who paused the run, when and why. Returns null if the server no longer has the pause. */
function formatPause(run: string, actions: readonly RunAction[]): string | null {
  const pause = actions.findLast(({ what }) => what === 'paused');
  if (pause === undefined) return null;
  const { by, at, reason } = pause;
  const author = by === '' ? '' : ` by ${escapeToOneLine(by)}`;
  const reasonText = reason === undefined ? '' : `: ${escapeToOneLine(reason)}`;
  return `Paused${author} since ${formatTimestamp(at)}${reasonText}\nResume it: renderline resume ${run}`;
}

/** Reads the newest figures of a run. Also queries runs that ended without a result, because workers still answer. */
async function readNewestProgress(
  client: Client,
  { run, status }: RunSnapshot,
  end: RunClosing | null,
  last: RunProgress | null,
): Promise<{ progress: RunProgress | null; unreadable: UnreadableError | null }> {
  const isKnown = end?.result || (status === 'running' && last !== null);
  if (isKnown) return { progress: last, unreadable: null };
  try {
    return { progress: (await readFreshProgress(client, run)) ?? last, unreadable: null };
  } catch (error) {
    if (!isUnreadableError(error)) throw error;
    return { progress: last, unreadable: error };
  }
}

interface ReportSources {
  snapshot: RunSnapshot;
  progress: RunProgress | null;
  finished: FinishedAssets;
  refused: Failure[];
  /** Null if the run has not discovered its assets, or if this is unknown. */
  discovery: Discovery | null;
  /** Null if the records cannot be read. */
  paid: PaidWork | null;
}

/** @param result null if the run is open or has ended without a result */
function toShape(
  { snapshot, progress, finished, refused, discovery, paid }: ReportSources,
  result: RunResult | null,
  nowMs: number,
): Omit<RunView, 'cause' | 'unknown'> {
  const { startedAtMs, endedAtMs, memo, status } = snapshot;
  const isRunning = status === 'running';
  const figures = result ?? progress;
  const elapsedMs = (endedAtMs ?? nowMs) - startedAtMs;
  return {
    schema: 'renderline/run/v1',
    run: result?.run ?? snapshot.run,
    pipeline: result?.pipeline ?? snapshot.pipeline,
    rerun: memo?.rerun ?? null,
    outcome: result?.outcome ?? outcomeOf(snapshot, progress),
    ...locationsOf(memo),
    canary: (isRunning && progress?.canary) || null,
    ...(isRunning && progress?.deadline ? { deadline: progress.deadline } : {}),
    inFlight: (isRunning && progress?.inFlight) || null,
    waits: isRunning ? collectWaits(progress) : [],
    discovered: result !== null || discovery !== null || finished.totals.total > 0,
    verified: discovery?.verified ?? null,
    startPoints: discovery?.startPoints ?? [],
    assets: result
      ? { ...pickCounts(result.assets), unchanged: result.assets.unchanged, cancelled: 0 }
      : countAssets(status, { reported: progress?.totals, stored: finished.totals, discovery }),
    files: finished.files,
    exports: finished.exports.counts,
    withdrawn: figures?.withdrawn ?? null,
    deleted: finished.deleted,
    failures: explainAllFailures(finished.failures, [...refused, ...(figures?.failures ?? [])]),
    warnings: [...((result ?? discovery)?.warnings ?? []), ...finished.warnings],
    requests: sumRequests(figures?.requests ?? {}),
    paid,
    historyEvents: figures?.historyEvents ?? 0,
    seconds: elapsedMs / 1_000,
  };
}

function outcomeOf({ status }: RunSnapshot, progress: RunProgress | null): RunShape['outcome'] {
  if (status === 'running') return progress?.state === 'paused' ? 'paused' : 'running';
  if (status === 'cancelled' || status === 'terminated') return status;
  return 'failed';
}

interface StoredResults extends Omit<ReportSources, 'snapshot' | 'progress'> {
  remark: string | null;
}

/** Reads the results from the records store. After an error, returns what was read so far, with a remark. */
async function readStoredResults(
  { run, memo, status }: RunSnapshot,
  onAsset: (asset: FinalizedAsset) => void,
): Promise<StoredResults> {
  const finished = new FinishedAssets(memo?.exports);
  const none = { discovery: null, paid: null, remark: null };
  const results: StoredResults = { finished, refused: [], ...none };
  try {
    const store = openStoreOfRun({ run, memo });
    await finished.read(await store.results.list(run), onAsset);
    results.discovery = await store.runAssets.readDiscovery();
    for await (const failures of store.runAssets.refused()) results.refused.push(...failures);
    results.paid = await readPaidWork(store, finished.unrenderedKeys, status !== 'running');
    return results;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remark = `the results of individual assets cannot be read here: ${reason}`;
    return { ...results, remark };
  }
}

export function exitCodeOfRun({ shape }: Pick<RunDetails, 'shape'>): number {
  if (shape.cause !== null) return exitCodeOfCause(shape.cause);
  if (shape.outcome === 'complete') return exitCode.done;
  return shape.outcome === 'partial_failure' ? exitCode.partial : exitCode.runFailed;
}

/** Exit code of a cause that stops a whole run. */
export const causeExitCodes: Readonly<Record<RunCause['kind'], number>> = {
  auth: exitCode.auth,
  later: exitCode.later,
  'not-found': exitCode.notFound,
  never: exitCode.runFailed,
};

/** True if only people can advance the run, because its file requires an approval. */
function isApprovalAwaited(cause: Pick<RunCause, 'code'>): boolean {
  return isApprovalCause(cause) || cause.code === decisionWaitCode;
}

/** Returns the exit code of a command that waits for a run, if the run ends or pauses with the cause. */
export function exitCodeOfCause(cause: Pick<RunCause, 'code' | 'kind'>): number {
  const { code, kind } = cause;
  if (isApprovalAwaited(cause)) return exitCode.awaitsApproval;
  return code === allPausedCode ? exitCode.paused : causeExitCodes[kind];
}

/** Returns how to continue or end a paused run, unless the fix of the cause already contains the commands. */
export function pauseCommandsOf(run: string, cause: Pick<RunCause, 'code'>): string[] {
  if (isApprovalAwaited(cause) || cause.code === allPausedCode) return [];
  return [`Resume it: renderline resume ${run}`, `Cancel it: renderline cancel ${run}`];
}

/** Creates the error for a run that is paused until a person acts. Awaiting approval is not reported as a failure. */
export function runPausedError(run: string, cause: RunCause): RenderlineError {
  const isAwaitingApproval = isApprovalAwaited(cause);
  const fix = [cause.fix, ...pauseCommandsOf(run, cause)].join('\n');
  const state = isAwaitingApproval ? 'is waiting for approval' : 'is paused';
  return new RenderlineError(
    { ...cause, exit: exitCodeOfCause(cause) },
    `The run ${run} ${state}: ${cause.message}`,
    { fix, details: { run }, isExpected: isAwaitingApproval },
  );
}

function locationsOf(memo: RunMemo | null): Pick<RunShape, 'destination' | 'extraDestinations'> {
  const [destination = null, ...extra] = destinationsOf(memo);
  const others = extra.flatMap((spec) => locationOf(spec) ?? []);
  return {
    destination: locationOf(destination),
    ...(others.length > 0 ? { extraDestinations: others } : {}),
  };
}
