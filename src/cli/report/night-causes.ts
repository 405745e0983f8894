// The causes of all failures of a while, and which of them a later run has mended. Pure.
import { groupFailures } from '../../capabilities/failure-groups.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import { redoCommand, whereOf } from '../../plan/rerun-command.ts';
import type { NightCause } from '../../report/night.ts';

interface FailedRun {
  run: string;
  pipeline: string;
  /** Path of the pipeline file; absent where it is not known. */
  path: string | undefined;
  isOver: boolean;
  failures: Parameters<typeof groupFailures>[0];
  settled: readonly Pick<SettledAsset, 'key' | 'outcome'>[];
}

export class NightCauses {
  readonly #causes = new Map<string, NightCause>();
  /** Keys that the runs added so far have completed, by pipeline. */
  readonly #complete = new Map<string, Set<string>>();

  /**
   * Adds a run. Runs are added newest first: what a run before has completed mends a failure of this one.
   * @returns how many of its failures are mended
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

  /** Those of which most is left come first. */
  sorted(): NightCause[] {
    const left = ({ count, mended }: NightCause) => count - mended;
    return [...this.#causes.values()].sort((a, b) => left(b) - left(a) || b.count - a.count);
  }
}
