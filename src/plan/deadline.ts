import { createZoneOffset, instantOf } from './helpers/zone-offset.ts';
import {
  countRemainingSteps,
  countUnfinished,
  type StepCount,
  type StepFigures,
} from './shard/totals.ts';
import type { Deadline } from './types.ts';

/** What a run that is late, or expected to be late, still has to do. */
export interface LateRun extends DeadlineProgress {
  lateness: Lateness;
  /** Predicted end at the run's pace so far, ISO 8601. Null while the pace is unknown. */
  expectedEnd: string | null;
  unfinished: number;
  /** Steps with assets, most assets first, at most three. */
  steps: { step: string; assets: number }[];
}

/** `expected`: at its pace, the run will end after the deadline. `late`: the deadline has passed. */
export type Lateness = 'expected' | 'late';

export interface DeadlineProgress {
  /** Time in ISO 8601 format. */
  dueAt: string;
  /** Whether the run is late or expected to be late. Null while it is expected to end in time. */
  lateness: Lateness | null;
}

/** The part of a run's progress that shows its pace. */
interface Pace extends StepFigures {
  steps: Readonly<Record<string, StepCount>>;
}

/** The pace is checked when these shares of the time until the deadline have passed. */
export const deadlineChecks = [0.5, 0.75, 0.9, 1] as const;

const dayMs = 86_400_000;
const minuteMs = 60_000;

export function computeDueAtMs(deadline: Deadline, startedAtMs: number): number {
  if ('withinMs' in deadline) return startedAtMs + deadline.withinMs;
  const offsetAt = createZoneOffset(deadline.timezone);
  const localAtMs = startedAtMs + offsetAt(startedAtMs);
  const today = Math.floor(localAtMs / dayMs) * dayMs;
  for (let day = today; ; day += dayMs) {
    const instantMs = instantOf(day + deadline.at * minuteMs, offsetAt);
    if (instantMs > startedAtMs) return instantMs;
  }
}

/**
 * Estimates when a run will end if its remaining steps take as long as the finished ones did. Returns the current time
 * if no step is left, and null if no step is finished yet.
 * @param stepIds every asset passes at most these steps
 */
export function estimateEndAtMs(
  progress: Pace,
  stepIds: readonly string[],
  { startedAtMs, nowMs }: { startedAtMs: number; nowMs: number },
): number | null {
  const remainingSteps = countRemainingSteps(progress, stepIds.length);
  const passedSteps = stepIds.reduce((sum, id) => sum + (progress.steps[id]?.done ?? 0), 0);
  if (remainingSteps <= 0) return nowMs;
  if (passedSteps === 0) return null;
  return nowMs + ((nowMs - startedAtMs) * remainingSteps) / passedSteps;
}

const maxStepsShown = 3;

export function lateRunOf(
  { totals, steps }: Pick<Pace, 'totals' | 'steps'>,
  schedule: Pick<LateRun, 'dueAt' | 'lateness' | 'expectedEnd'>,
): LateRun {
  return {
    ...schedule,
    unfinished: Math.max(0, countUnfinished(totals)),
    steps: findBusySteps(steps).slice(0, maxStepsShown),
  };
}

/**
 * Returns the running steps, most assets first. An asset counts as waiting in every step ahead of it. Waiting assets
 * are therefore used only if no step is running. In that case, returns the first step with any.
 */
function findBusySteps(steps: Pace['steps']): LateRun['steps'] {
  const counts = Object.entries(steps);
  const runningSteps = counts.flatMap(([step, { running: assets }]) =>
    assets > 0 ? [{ step, assets }] : [],
  );
  if (runningSteps.length > 0) return runningSteps.toSorted((a, b) => b.assets - a.assets);
  const first = counts.find(([, { waiting }]) => waiting > 0);
  return first === undefined ? [] : [{ step: first[0], assets: first[1].waiting }];
}
