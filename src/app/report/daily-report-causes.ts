// Groups the failures of several runs by cause, and counts those that a later run has repaired. Pure.
import { groupFailures } from '../../features/failure-groups.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { failureCondition, rerunFailuresCommand } from '../../plan/run/rerun-command.ts';
import type { ConnectorSpec } from '../../plan/types.ts';
import type { DailyCause } from '../../report/daily-report.ts';

interface FailedRun {
  run: string;
  pipeline: string;
  /** Location of the records. Pipelines of the same name never share records. Undefined if not known. */
  records: ConnectorSpec | undefined;
  /** Path of the pipeline file; undefined if not known. */
  path: string | undefined;
  isOver: boolean;
  failures: Parameters<typeof groupFailures>[0];
  settled: readonly Pick<FinalizedAsset, 'key' | 'outcome'>[];
}

export class DailyReportCauses {
  readonly #causes = new Map<string, DailyCause>();
  /** Keys of assets that the runs added so far have completed, by pipeline and records. */
  readonly #complete = new Map<string, Set<string>>();

  /**
   * Adds a run. Runs must be added newest first: an asset that a newer run completed counts as repaired in this run.
   * @returns number of failures of this run that are repaired
   */
  add({ run, pipeline, records, path, isOver, failures, settled }: FailedRun): number {
    const place = JSON.stringify([pipeline, records]);
    const complete = this.#complete.get(place) ?? new Set<string>();
    let repairedTotal = 0;
    for (const { keys, attempts: _attempts, count, ...group } of groupFailures(failures)) {
      const repaired = keys.filter((key) => complete.has(key)).length;
      repairedTotal += repaired;
      const id = JSON.stringify([pipeline, group.code, group.node]);
      const cause = this.#causes.get(id) ?? { ...group, pipeline, count: 0, repaired: 0, runs: [] };
      const hasRemaining = isOver && repaired < count;
      const rerunCommand = hasRemaining
        ? rerunFailuresCommand(run, path, failureCondition(group))
        : null;
      cause.count += count;
      cause.repaired += repaired;
      cause.runs.push({ run, count, repaired, rerunCommand });
      this.#causes.set(id, cause);
    }
    for (const { key, outcome } of settled) if (outcome === 'complete') complete.add(key);
    this.#complete.set(place, complete);
    return repairedTotal;
  }

  /** Causes with the most unrepaired failures first. */
  sorted(): DailyCause[] {
    const remaining = ({ count, repaired }: DailyCause) => count - repaired;
    return [...this.#causes.values()].sort(
      (a, b) => remaining(b) - remaining(a) || b.count - a.count,
    );
  }
}
