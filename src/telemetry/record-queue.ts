// Records the status of a task queue as gauges. The runtime cannot remove a gauge, so an unknown value becomes NaN,
// because every comparison with NaN is false.

import { type OpenRun, type QueueStatus, queueEvents, type ScheduleStatus } from './events.ts';
import type { Recorder } from './meters.ts';

const states = ['working', 'paused', 'unknown'] as const satisfies OpenRun['state'][];

interface QueueOptions {
  /** Returns the pipeline, or another string once there are too many label values. */
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
  const recordRuns = createLabeledGauge(
    (pipeline, counts) => {
      for (const state of states) record('openRuns', counts[state], { pipeline, state });
      record('openRunAge', counts.ageSeconds, { pipeline });
    },
    noRuns,
    unknownRuns,
  );
  const recordBuilds = (id: 'strandedRuns' | 'queueWorkers') =>
    createLabeledGauge((build_id, count) => record(id, count, { build_id }), 0, none);
  const recordSchedules = (id: 'schedulePeriod' | 'scheduleSuccess') =>
    createLabeledGauge((schedule, seconds) => record(id, seconds, { schedule }), none, none);
  const [recordStranded, recordWorkers] = [
    recordBuilds('strandedRuns'),
    recordBuilds('queueWorkers'),
  ];
  const recordPeriods = recordSchedules('schedulePeriod');
  const recordSuccesses = recordSchedules('scheduleSuccess');
  return queueEvents.subscribe((status) => {
    const { openRuns, schedules } = status;
    const runsByPipeline = openRuns && pipelinesOf(openRuns, pipelineOf, now());
    recordRuns(runsByPipeline);
    for (const pipeline of runsByPipeline?.keys() ?? []) onPipeline(pipeline);
    recordStranded(strandedOf(status));
    recordWorkers(status.workers && sumByBuild(status.workers));
    record('failingWorkflows', status.failing ?? none, {});
    const succeeded = schedules?.filter(({ lastSuccessAtMs }) => lastSuccessAtMs !== null);
    recordPeriods(secondsBySchedule(schedules, ({ periodMs }) => periodMs));
    recordSuccesses(secondsBySchedule(succeeded, ({ lastSuccessAtMs }) => lastSuccessAtMs));
  });
}

function secondsBySchedule(
  schedules: readonly ScheduleStatus[] | null | undefined,
  msOf: (status: ScheduleStatus) => number | null,
): Map<string, number> | null {
  const secondsOf = (ms: number | null) => (ms === null ? none : ms / 1_000);
  return schedules
    ? new Map(schedules.map((status) => [status.schedule, secondsOf(msOf(status))]))
    : null;
}

/**
 * Returns a function that records one value per label. It accepts null if the values are unknown. It also records
 * `absentValue` for labels that have disappeared, because no gauge can be removed.
 */
function createLabeledGauge<Value>(
  recordOne: (label: string, value: Value) => void,
  absentValue: Value,
  unknownValue: Value,
): (values: ReadonlyMap<string, Value> | null) => void {
  const labels = new Set<string>();
  return (values) => {
    for (const label of values?.keys() ?? []) labels.add(label);
    for (const label of labels) {
      recordOne(label, values === null ? unknownValue : (values.get(label) ?? absentValue));
    }
  };
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
  return sumByBuild(alone.map(({ pinnedTo }) => [pinnedTo ?? '', 1] as const));
}

/** Adds up counts by `deployment:build` to counts by build. */
function sumByBuild(counts: Iterable<readonly [string, number]>): Map<string, number> {
  const countsByBuild = new Map<string, number>();
  for (const [version, count] of counts) {
    const build = version.slice(version.indexOf(':') + 1);
    countsByBuild.set(build, (countsByBuild.get(build) ?? 0) + count);
  }
  return countsByBuild;
}
