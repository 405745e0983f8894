// Records the status of a task queue as gauges. The runtime cannot remove a gauge, so an unknown value becomes NaN, for
// which every comparison is false.

import { type OpenRun, type QueueStatus, queueEvents } from './events.ts';
import type { Recorder } from './meters.ts';

const states = ['working', 'paused', 'unknown'] as const satisfies OpenRun['state'][];

interface QueueOptions {
  /** Returns the pipeline, or another text once there are too many label values. */
  pipelineOf: (pipeline: string) => string;
  /** Called with each pipeline that has open runs, at every update. */
  onPipeline: (pipeline: string) => void;
  now: () => number;
}

/** Records the status of the task queue until the returned function is called. */
export function recordQueue(
  record: Recorder,
  { pipelineOf, onPipeline, now }: QueueOptions,
): () => void {
  const runs = new LabeledGauge((pipeline, counts: PipelineRuns) => {
    for (const state of states) record('openRuns', counts[state], { pipeline, state });
    record('openRunAge', counts.ageSeconds, { pipeline });
  });
  const stranded = new LabeledGauge((build_id, count: number) =>
    record('strandedRuns', count, { build_id }),
  );
  const workers = new LabeledGauge((build_id, count: number) =>
    record('queueWorkers', count, { build_id }),
  );
  const periods = new LabeledGauge((schedule, seconds: number) =>
    record('schedulePeriod', seconds, { schedule }),
  );
  const successes = new LabeledGauge((schedule, seconds: number) =>
    record('scheduleSuccess', seconds, { schedule }),
  );
  return queueEvents.subscribe((status) => {
    const runsByPipeline = status.openRuns && pipelinesOf(status.openRuns, pipelineOf, now());
    runs.write(runsByPipeline, noRuns, unknownRuns);
    for (const pipeline of runsByPipeline?.keys() ?? []) onPipeline(pipeline);
    stranded.write(strandedOf(status), 0);
    workers.write(status.workers && byBuild(status.workers), 0);
    record('failingWorkflows', status.failing ?? Number.NaN, {});
    const schedules = status.schedules ?? null;
    periods.write(
      schedules &&
        new Map(schedules.map((schedule) => [schedule.schedule, secondsOf(schedule.periodMs)])),
      Number.NaN,
    );
    successes.write(
      schedules &&
        new Map(
          schedules.flatMap(({ schedule, lastSuccessAtMs }) =>
            lastSuccessAtMs === null ? [] : [[schedule, secondsOf(lastSuccessAtMs)] as const],
          ),
        ),
      Number.NaN,
    );
  });
}

/** A gauge with one series per label. It also writes labels that have disappeared, since no gauge can be removed. */
class LabeledGauge<Value> {
  readonly #record: (label: string, value: Value) => void;
  readonly #labels = new Set<string>();

  constructor(write: (label: string, value: Value) => void) {
    this.#record = write;
  }

  /** Writes one value per label. @param values null: unknown @param absentValue for labels that have disappeared */
  write(
    values: ReadonlyMap<string, Value> | null,
    absentValue: Value,
    unknownValue = Number.NaN as Value,
  ): void {
    for (const label of values?.keys() ?? []) this.#labels.add(label);
    for (const label of this.#labels) {
      this.#record(label, values === null ? unknownValue : (values.get(label) ?? absentValue));
    }
  }
}

type PipelineRuns = Record<OpenRun['state'] | 'ageSeconds', number>;

const noRuns: PipelineRuns = { working: 0, paused: 0, unknown: 0, ageSeconds: 0 };
const { NaN: none } = Number;
const unknownRuns: PipelineRuns = { working: none, paused: none, unknown: none, ageSeconds: none };

function pipelinesOf(
  runs: readonly OpenRun[],
  pipelineOf: (pipeline: string) => string,
  nowMs: number,
): Map<string, PipelineRuns> {
  const runsByPipeline = new Map<string, PipelineRuns>();
  for (const { pipeline, state, startedAtMs } of runs) {
    const label = pipelineOf(pipeline);
    const pipelineRuns = runsByPipeline.get(label) ?? { ...noRuns };
    pipelineRuns[state] += 1;
    pipelineRuns.ageSeconds = Math.max(pipelineRuns.ageSeconds, (nowMs - startedAtMs) / 1_000);
    runsByPipeline.set(label, pipelineRuns);
  }
  return runsByPipeline;
}

function strandedOf({ openRuns, workers }: QueueStatus): Map<string, number> | null {
  if (openRuns === null || workers === null) return null;
  const alone = openRuns.filter(({ pinnedTo }) => pinnedTo !== null && !workers.has(pinnedTo));
  return byBuild(alone.map(({ pinnedTo }) => [pinnedTo ?? '', 1] as const));
}

/** Adds up counts by `deployment:build` to counts by build. */
function byBuild(counts: Iterable<readonly [string, number]>): Map<string, number> {
  const countsByBuild = new Map<string, number>();
  for (const [version, count] of counts) {
    const build = version.slice(version.indexOf(':') + 1);
    countsByBuild.set(build, (countsByBuild.get(build) ?? 0) + count);
  }
  return countsByBuild;
}

function secondsOf(ms: number | null): number {
  return ms === null ? Number.NaN : ms / 1_000;
}
