// Reruns the failed assets of runs that ended since a given time, with one preview and then one rerun per run.
import { commandFailures } from '../../failures/commands.ts';
import { maxExpressionLength } from '../../language/expressions/expression-limits.ts';
import { allPausedCode } from '../../plan/run/general-pause.ts';
import type { Rerun } from '../../plan/run/rerun.ts';
import type { App } from '../app.ts';
import { type FailedRun, type FailuresQuery, readFailedRuns } from '../failures/failed-runs.ts';
import type { CostTotals } from '../plan/chosen-preview.ts';
import { explainError, interruptedError, RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { previewRerun, type RerunPreview, requireWork, startRerun } from './rerun.ts';
import type { RerunWork } from './rerun-work.ts';

export interface RecentRerunOptions extends FailuresQuery {
  /** Plan of all reruns. @default chosen as for `rerun`, or the plan of the run if its file is unknown */
  with?: Rerun['plan'] | undefined;
}

export interface ReadyRerun {
  /** The earlier run. */
  of: string;
  pipeline: string;
  plan: Rerun['plan'];
  work: RerunWork;
  cost: CostTotals;
}

export interface RefusedRerun {
  of: string;
  code: string;
  message: string;
  fix: string;
}

export interface RecentRerunShape {
  schema: 'renderline/rerun-since/v1';
  /** ISO 8601. */
  since: string;
  where: string | null;
  ready: ReadyRerun[];
  refused: RefusedRerun[];
  /** Sums over the runs in `ready`. */
  assets: number;
  requests: number;
  maxRequests: number;
  renders: number;
  /** Number of older runs that were not read. */
  notRead: number;
  /** The started runs. Null if none was started. */
  started: { of: string; run: string }[] | null;
}

export interface RecentRerunPreview {
  shape: RecentRerunShape;
  previews: readonly RerunPreview[];
}

/** Previews a rerun of each run that has failures not repaired since. Writes nothing. */
export async function previewRecentRerun(
  app: App,
  { with: plan, ...query }: RecentRerunOptions,
): Promise<RecentRerunPreview> {
  await app.usePlugins();
  const failedRuns = await withTemporal(app, ({ client }) => readFailedRuns(app, client, query));
  const readyReruns: ReadyRerun[] = [];
  const previews: RerunPreview[] = [];
  const refusedReruns = failedRuns.unreadable.map(({ run: of, unreadable }) => ({
    of,
    ...unreadable,
  }));
  for (const failedRun of failedRuns.runs) {
    if (failedRun.failures.length === 0) continue;
    try {
      const rerun = await previewOne(app, failedRun, query.where, plan);
      if (rerun === null) continue;
      readyReruns.push(rerun.ready);
      previews.push(rerun.preview);
    } catch (error) {
      refusedReruns.push(toRefusedRerun(app, failedRun.snapshot.run, error));
    }
  }
  const sum = (value: (rerun: ReadyRerun) => number) =>
    readyReruns.reduce((total, rerun) => total + value(rerun), 0);
  const shape: RecentRerunShape = {
    schema: 'renderline/rerun-since/v1',
    since: failedRuns.since,
    where: query.where ?? null,
    ready: readyReruns,
    refused: refusedReruns,
    assets: sum(({ work }) => work.assets),
    requests: sum(({ cost }) => cost.requests),
    maxRequests: sum(({ cost }) => cost.maxRequests),
    renders: sum(({ cost }) => cost.renders),
    notRead: failedRuns.notRead,
    started: null,
  };
  return { shape, previews };
}

/** Previews the rerun of one run. Null if no asset is left. @throws RenderlineError if the run cannot be rerun */
async function previewOne(
  app: App,
  failedRun: FailedRun,
  where: string | undefined,
  plan: Rerun['plan'] | undefined,
): Promise<{ ready: ReadyRerun; preview: RerunPreview } | null> {
  const { snapshot, rerunBy } = failedRun;
  const { run, pipeline, memo } = snapshot;
  if (rerunBy !== null) {
    const message = `${rerunBy}, a rerun of ${run}, has not ended.`;
    const fix = `Wait for that rerun: renderline show ${rerunBy} --wait`;
    throw new RenderlineError(commandFailures.RUN_OPEN, message, { fix });
  }
  // Runs of schedules and events have no file, so only their pinned plan can be used.
  const chosenPlan = plan ?? (memo?.path === undefined ? 'pinned' : undefined);
  const selection = {
    failed: true,
    where: remainingConditionOf(failedRun, where),
    with: chosenPlan,
  };
  const preview = await previewRerun(app, run, selection);
  const { rerun, cost } = preview.shape;
  if (preview.isEmpty || cost === null) return null;
  const work = requireWork(preview);
  return { ready: { of: run, pipeline, plan: rerun.plan, work, cost }, preview };
}

/**
 * Narrows the condition to exclude two groups of assets: those delivered since, and those that failed again in a newer
 * run, because they are part of that run's rerun. If the condition would be too long, both reruns contain these assets,
 * and the first rerun that claims an asset processes it.
 */
function remainingConditionOf(
  { failures, repaired, failedAgain }: Pick<FailedRun, 'failures' | 'repaired' | 'failedAgain'>,
  where: string | undefined,
): string | undefined {
  const excluded = [...repaired, ...failedAgain];
  if (excluded.length === 0) return where;
  const keys = failures.map(({ key }) => key);
  const conditions = [`!(key in ${JSON.stringify(excluded)})`, `key in ${JSON.stringify(keys)}`]
    .map((condition) => (where === undefined ? condition : `(${where}) && ${condition}`))
    .sort((a, b) => a.length - b.length);
  return conditions.find(({ length }) => length <= maxExpressionLength) ?? where;
}

/** Converts an error into the reason for a refusal. @throws the abort reason if the caller no longer waits */
function toRefusedRerun(app: App, run: string, error: unknown): RefusedRerun {
  app.signal.throwIfAborted();
  const { code, message, fix } = explainError(error);
  return { of: run, code, message, fix };
}

/** Starts the reruns one by one. A rerun that cannot be started is refused. @throws RenderlineError ALL_PAUSED */
export async function startRecentRerun(
  app: App,
  { shape, previews }: RecentRerunPreview,
  { reason }: { reason?: string | undefined } = {},
): Promise<RecentRerunShape> {
  const started: { of: string; run: string }[] = [];
  const refused = [...shape.refused];
  for (const preview of previews) {
    const { of } = preview.shape.rerun;
    try {
      const { shape: launched } = await startRerun(app, preview, { reason });
      started.push({ of, run: launched.run });
    } catch (error) {
      if (app.signal.aborted)
        throw interruptedError(
          `Interrupted: ${started.length} of ${previews.length} reruns started.`,
        );
      const refusal = toRefusedRerun(app, of, error);
      if (refusal.code === allPausedCode) throw error;
      refused.push(refusal);
    }
  }
  return { ...shape, refused, started };
}
