// Reads the daily report: results of the runs that started, ended or were open since a given time.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { groupFailures, joinMessages } from '../../features/failure-groups.ts';
import { reportPath } from '../../plan/contract/report-contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { sumPaid } from '../../plan/run/paid-work.ts';
import { failureConditionOf, rerunFailuresCommand } from '../../plan/run/rerun-command.ts';
import { relativeLinkTo } from '../../report/contact-sheet.ts';
import type { DailyCause, DailyReport, DailyRun } from '../../report/daily/daily-report.ts';
import { toUnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import type { App } from '../app.ts';
import { createProgressNote } from '../progress-note.ts';
import { readRunDetails } from '../runs/run-details.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';
import { runPageUrl, withTemporal } from '../temporal-client.ts';
import { noteUnreadable } from '../unreadable-payload.ts';
import { parseSince } from './parse-since.ts';
import { listRecentRuns } from './recent-runs.ts';
import { RepairedFailures } from './repaired-failures.ts';

export interface DailyReportOptions {
  /** A time in the past. See `parseSince`. */
  since: string;
  pipeline?: string | undefined;
  /** Absolute path of the page. Its folder may also contain reports of single runs. */
  page: string;
}

/** @throws RenderlineError BAD_TIME */
export async function readDailyReport(app: App, options: DailyReportOptions): Promise<DailyReport> {
  const since = new Date(parseSince(options.since, app.now())).toISOString();
  await app.usePlugins();
  return withTemporal(app, (temporal) => collectRuns(app, temporal, { ...options, since }));
}

async function collectRuns(
  app: App,
  { client, namespace }: TemporalConnection,
  { since, page, pipeline }: DailyReportOptions,
): Promise<DailyReport> {
  const onProgress = createProgressNote(app, (done) => `Read ${formatCount(done, 'run')}`);
  const condition = `StartTime >= '${since}' OR CloseTime >= '${since}' OR ExecutionStatus = 'Running'`;
  const recentRuns = await listRecentRuns(app, client, { condition, pipeline });
  const { unreadable, notRead } = recentRuns;
  const runs: DailyRun[] = [];
  const causes = new DailyReportCauses();
  const repairs = new RepairedFailures(app.signal);
  for (const snapshot of recentRuns.runs) {
    const report = await readRunDetails(client, snapshot, app.now()).catch(toUnreadableNote);
    if ('code' in report) {
      unreadable.push({ run: snapshot.run, unreadable: report });
      continue;
    }
    const { shape, remark } = report;
    // If the records cannot be read, the remark states the reason.
    const repairedKeys = await repairs.keysOf(snapshot, shape.failures).catch(() => {
      app.signal.throwIfAborted();
      return new Set<string>();
    });
    const repaired = causes.add(snapshot, shape.failures, repairedKeys);
    runs.push({
      run: snapshot.run,
      pipeline: shape.pipeline,
      outcome: shape.outcome,
      startedAt: new Date(snapshot.startedAtMs).toISOString(),
      endedAt: snapshot.endedAtMs === null ? null : new Date(snapshot.endedAtMs).toISOString(),
      seconds: shape.seconds,
      complete: shape.assets.complete,
      failed: shape.assets.failed,
      repaired,
      cancelled: shape.assets.cancelled,
      files: shape.files.length,
      requests: shape.unknown === null ? shape.requests.total : null,
      paid: shape.paid,
      report: linkToReport(page, snapshot),
      temporalUi: await runPageUrl(app, namespace, snapshot.run),
      remark,
    });
    onProgress(runs.length);
  }
  noteUnreadable(app, 'run', unreadable);
  const sum = (field: 'complete' | 'failed' | 'repaired' | 'cancelled' | 'files' | 'requests') =>
    runs.reduce((total, run) => total + (run[field] ?? 0), 0);
  return {
    schema: 'renderline/runs-report/v1',
    since,
    until: new Date(app.now()).toISOString(),
    runs,
    unreadable,
    notRead,
    outcomes: countBy(runs.map(({ outcome }) => outcome)),
    totals: {
      complete: sum('complete'),
      failed: sum('failed'),
      repaired: sum('repaired'),
      cancelled: sum('cancelled'),
      files: sum('files'),
      requests: sum('requests'),
    },
    paid: sumPaid(runs.map(({ paid }) => paid)),
    causes: causes.sorted(),
  };
}

/** Returns a relative link to a run's report, in the page's folder or at a local destination. Null if there is none. */
function linkToReport(page: string, { run, memo }: RunSnapshot): string | null {
  const { report, destination } = memo ?? {};
  const root = destination?.type === 'local' ? destination['path'] : null;
  const folder = dirname(page);
  const candidates = [join(folder, `${run}.html`)];
  if (report !== undefined && typeof root === 'string')
    candidates.push(join(root, reportPath(report, run)));
  const file = candidates.find((path) => existsSync(path));
  return file === undefined ? null : relativeLinkTo(folder, file);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

interface ReportedRun extends Pick<RunSnapshot, 'run' | 'pipeline' | 'status'> {
  memo: { path?: string } | null;
}

/** Groups the failures of several runs by cause. Each asset counts once, and the repaired ones are counted, too. */
export class DailyReportCauses {
  readonly #causes = new Map<string, DailyCause>();
  /** The assets that are counted, by cause. */
  readonly #countedAssets = new Set<string>();

  /** Adds a run, newest first. @param repairedKeys see `RepairedFailures` @returns the number of repaired failures */
  add(
    { run, pipeline, status, memo }: ReportedRun,
    failures: Parameters<typeof groupFailures>[0],
    repairedKeys: ReadonlySet<string>,
  ): number {
    let repairedTotal = 0;
    for (const { keys, attempts: _attempts, count, ...group } of groupFailures(failures)) {
      const countRepaired = (some: readonly string[]) =>
        some.filter((key) => repairedKeys.has(key)).length;
      const repaired = countRepaired(keys);
      repairedTotal += repaired;
      const id = JSON.stringify([pipeline, group.code, group.node]);
      const newKeys = keys.filter((key) => !this.#countedAssets.has(`${id} ${key}`));
      for (const key of newKeys) this.#countedAssets.add(`${id} ${key}`);
      const cause = this.#causes.get(id) ?? { ...group, pipeline, count: 0, repaired: 0, runs: [] };
      const hasRemaining = status !== 'running' && countRepaired(newKeys) < newKeys.length;
      const rerunCommand = hasRemaining
        ? rerunFailuresCommand(run, memo?.path, failureConditionOf(group))
        : null;
      cause.message = joinMessages(cause.message, group.message);
      cause.count += newKeys.length;
      cause.repaired += countRepaired(newKeys);
      cause.runs.push({ run, count, repaired, rerunCommand });
      this.#causes.set(id, cause);
    }
    return repairedTotal;
  }

  /** Returns the causes, those with the most unrepaired failures first. */
  sorted(): DailyCause[] {
    const remainingCount = ({ count, repaired }: DailyCause) => count - repaired;
    return [...this.#causes.values()].sort(
      (a, b) => remainingCount(b) - remainingCount(a) || b.count - a.count,
    );
  }
}
