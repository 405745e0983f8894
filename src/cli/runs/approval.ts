// Approves the canary (first assets) of a run: shows the results, asks for confirmation, signals the run.
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { SignalNote } from '../../plan/audit-contract.ts';
import { assetsLeft, canaryTotals, clock, madeWords } from '../../plan/canary.ts';
import type { RunProgress } from '../../plan/contract.ts';
import { count, countUpTo } from '../../plan/count.ts';
import type { Totals } from '../../plan/totals.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { startedWith } from '../../temporal/started-with.ts';
import type { Paint } from '../color.ts';
import { confirm } from '../confirm.ts';
import { CliError } from '../exit.ts';
import { spelledOut } from '../screen-text.ts';
import type { Session } from '../session.ts';
import { withTemporal } from '../temporal-session.ts';
import { type ApproveFlags, approvePictures, asksForPictures } from './approve-pictures.ts';
import { ask, runEnded, untilReached } from './control.ts';
import { type RunReport, reportRun } from './run-report.ts';
import type { RunShape } from './run-shape.ts';
import { type RunSnapshot, readSnapshot } from './run-snapshot.ts';
import { failuresByCause } from './run-summary.ts';
import { type WorkLeft, workLeft } from './work-left.ts';

/** Results of the canary that wait for approval. */
export interface Made {
  run: string;
  until: string;
  /** Totals of the canary assets. */
  canary: Totals;
  /** Number of assets that start after the approval. */
  left: number;
  destination: string | null;
  files: number;
  failures: RunShape['failures'];
}

export async function approveRun(
  session: Session,
  run: string,
  flags: ApproveFlags,
): Promise<number> {
  const { yes, dryRun, reason } = flags;
  await session.usePlugins();
  return withTemporal(session, async ({ client, namespace }) => {
    const snapshot = await readSnapshot(client, run);
    if (snapshot.status !== 'running') throw runEnded(snapshot, 'approve');
    const report = await reportRun(client, snapshot);
    if (report.unreadable !== null) throw report.unreadable;
    if (asksForPictures(report.progress)) {
      return approvePictures(session, client, { snapshot, report }, flags);
    }
    const { output } = session;
    const made = madeOf(run, report);
    if (made === null) {
      output.answer(
        shapeOf(run, 'before', report.progress, null),
        () => `${run} is already approved. See: renderline show ${run}`,
      );
      return exitCode.done;
    }
    const cost = await costOf(client, namespace, snapshot, report);
    const approved = { ...made, requests: cost?.requests.total ?? null };
    if (dryRun) {
      output.answer(shapeOf(run, 'no', report.progress, approved), () =>
        preview(made, cost, output.paint),
      );
      return exitCode.done;
    }
    if (!output.json) output.raw(preview(made, cost, output.paint));
    session.wayBack = `The run still waits. Approve it: renderline approve ${run}`;
    await confirm(session, `Continue with ${count(made.left, 'more asset')}?`, yes === true);
    const progress = await approve(client, run, withoutUndefined({ reason }));
    output.answer(shapeOf(run, 'now', progress, approved), () => goesOn(run, progress));
    return exitCode.done;
  });
}

/** Estimates the cost of the remaining assets; null if it is unknown here. */
async function costOf(
  client: Client,
  namespace: string,
  snapshot: RunSnapshot,
  { progress }: RunReport,
): Promise<WorkLeft | null> {
  const start = await startedWith(client, namespace, snapshot.run);
  return progress?.discovery ? workLeft(snapshot, start, progress.discovery) : null;
}

/**
 * Reads the results to approve; null if the run is already approved.
 * @throws CliError when the run needs no approval, or does not wait for it yet.
 */
export function madeOf(run: string, { progress, shape }: RunReport): Made | null {
  if (progress === null) {
    throw new CliError(
      commandFailures.NO_WORKER,
      `No worker answers for the run ${run}, so its results cannot be shown.`,
      { details: { run } },
    );
  }
  const { canary, discovery, state, totals } = progress;
  if (discovery === null) throw notYet(run, 'it is still discovering its assets');
  if (canary === undefined) throw asksForNothing(run);
  if (canary.state === 'approved') return null;
  if (canary.state === 'running') throw notYet(run, `its first ${canary.assets} are in progress`);
  if (canary.state === 'waiting') {
    return {
      run,
      until: canary.until,
      canary: canaryTotals(discovery, totals, canary),
      left: assetsLeft(discovery, canary),
      destination: shape.destination,
      files: shape.files.length,
      failures: shape.failures,
    };
  }
  throw runEnded({ run, status: state, endedAtMs: null }, 'approve');
}

function notYet(run: string, why: string): CliError {
  return new CliError(
    commandFailures.NOT_ASKED_YET,
    `The run ${run} does not wait for approval yet: ${why}.`,
    { fix: `Follow it until it waits: renderline show ${run} --wait`, details: { run } },
  );
}

function asksForNothing(run: string): CliError {
  return new CliError(
    commandFailures.ASKS_FOR_NOTHING,
    `The run ${run} needs no approval: its file has no \`canary\`, or the canary covers all assets.`,
    { fix: `See its state: renderline show ${run}`, details: { run } },
  );
}

/** Formats what a person needs to decide. */
export function preview(made: Made, cost: WorkLeft | null, paint: Paint): string {
  const { run, until, canary, left, destination, files, failures } = spelledOut(made);
  // Files of assets whose side steps are still running are not recorded yet.
  const number = files === 0 ? '' : `${files} `;
  return [
    `${paint('bold', run)}  waits for approval until ${clock(until)}`,
    `  done      ${count(canary.total, 'asset')}: ${madeWords(canary)}`,
    ...(destination === null ? [] : [`  files     ${number}in ${destination}`]),
    `  remaining ${[count(left, 'asset'), ...costWords(cost)].join(', ')}`,
    ...(failures.length === 0 ? [] : [...failuresByCause(failures, paint), '']),
  ].join('\n');
}

function costWords(cost: WorkLeft | null): string[] {
  if (cost === null) return [];
  const { requests, renders, atMost } = cost;
  return [`about ${count(requests.total, 'request')}`, countUpTo(renders, 'render job', atMost)];
}

/** Signals the approval and waits for the new state. @throws CliError when the run has ended meanwhile, for example by timeout */
async function approve(client: Client, run: string, note: SignalNote): Promise<RunProgress | null> {
  await ask(client, 'approve', run, note);
  const isThere = ({ canary }: RunProgress) => canary?.state === 'approved';
  const reached = await untilReached(client, run, isThere);
  const { progress } = reached;
  // A run that somebody else approved in the meantime may already have ended.
  const isApproved = progress !== null && isThere(progress);
  if (progress?.canary?.state === 'refused' || (reached.endedAtMs !== null && !isApproved))
    throw runEnded(reached, 'approve');
  return progress;
}

function shapeOf(
  run: string,
  approved: 'now' | 'before' | 'no',
  progress: RunProgress | null,
  made: (Made & { requests: number | null }) | null,
) {
  return {
    schema: 'renderline/approve/v1',
    run,
    approved,
    state: progress?.state ?? 'running',
    canary: made?.canary ?? null,
    left: made?.left ?? null,
    requests: made?.requests ?? null,
    destination: made?.destination ?? null,
    files: made?.files ?? null,
    failures: made?.failures ?? [],
    pictures: [],
  };
}

/** Formats the result of the approval. */
export function goesOn(run: string, progress: RunProgress | null): string {
  if (progress === null) {
    return `The approval of ${run} was sent; no worker has answered yet. See: renderline show ${run}`;
  }
  if (progress.state === 'paused') {
    return `${run} is approved, but still paused.\nResume it: renderline resume ${run}`;
  }
  return `${run} is approved and continues. Follow it: renderline show ${run} --wait`;
}
