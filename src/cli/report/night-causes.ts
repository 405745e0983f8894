// Groups the failures of several runs by cause, and counts those that a later run has repaired. Pure.
import { groupFailures } from '../../capabilities/failure-groups.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import { redoCommand, whereOf } from '../../plan/rerun-command.ts';
import type { NightCause } from '../../report/night.ts';

interface FailedRun {
  run: string;
  pipeline: string;
  /** Path of the pipeline file; undefined if not known. */
  path: string | undefined;
  isOver: boolean;
  failures: Parameters<typeof groupFailures>[0];
  settled: readonly Pick<SettledAsset, 'key' | 'outcome'>[];
}

export class NightCauses {
  readonly #causes = new Map<string, NightCause>();
  /** Keys of assets that the runs added so far have completed, by pipeline. */
  readonly #complete = new Map<string, Set<string>>();

  /**
   * Adds a run. Runs must be added newest first: an asset that a newer run completed counts as repaired in this run.
   * @returns number of failures of this run that are repaired
   */
  add({ run, pipeline, path, isOver, failures, settled }: FailedRun): number {
    const complete = this.#complete.get(pipeline) ?? new Set<string>();
    let all = 0;
    for (const { keys, attempts: _attempts, count, ...group } of groupFailures(failures)) {
      const mended = keys.filter((key) => complete.has(key)).length;
      all += mended;
      const id = JSON.stringify([pipeline, group.code, group.node]);
      const cause = this.#causes.get(id) ?? { ...group, pipeline, count: 0, mended: 0, runs: [] };
      const isLeft = isOver && mended < count;
      const redo = isLeft ? redoCommand(run, path, whereOf(group)) : null;
      cause.count += count;
      cause.mended += mended;
      cause.runs.push({ run, count, mended, redo });
      this.#causes.set(id, cause);
    }
    for (const { key, outcome } of settled) if (outcome === 'complete') complete.add(key);
    this.#complete.set(pipeline, complete);
    return all;
  }

  /** Causes with the most unrepaired failures first. */
  sorted(): NightCause[] {
    const left = ({ count, mended }: NightCause) => count - mended;
    return [...this.#causes.values()].sort((a, b) => left(b) - left(a) || b.count - a.count);
  }
}
