// Maximum ages of results before they are created again: the `redo` field of nodes. Pure.
import { type ReusableStages, workStages } from './stages.ts';
import type { FreshnessRule, Stage } from './types.ts';

/** When each stage of an asset was done, ISO 8601. A stage without an entry was done when the asset was delivered. */
export type StageTimes = Partial<Record<Stage, string>>;

interface FinishedWork {
  made?: StageTimes | undefined;
  finishedAt: string;
}

/** Finds the rules whose maximum age an asset exceeds. */
export function findExpiredRules(
  rules: readonly FreshnessRule[],
  { made = {}, finishedAt }: FinishedWork,
  nowMs: number,
): FreshnessRule[] {
  const ageMs = (stage: Stage) => nowMs - Date.parse(made[stage] ?? finishedAt);
  return rules.filter(({ stage, olderThanMs }) => ageMs(stage) > olderThanMs);
}

/** Returns stages that can be reused although others are stale. A production file needs only the composition. */
export function reusableStagesBefore(staleStages: readonly Stage[]): ReusableStages {
  if (staleStages.includes('source')) return [];
  if (staleStages.includes('composition')) return ['source'];
  return workStages.filter((stage) => !staleStages.includes(stage));
}

/** Returns when each reused stage of an asset was done. Empty if none was reused. */
export function stageTimesOf(
  reusable: ReusableStages,
  earlierWork: FinishedWork | null,
): StageTimes {
  if (earlierWork === null) return {};
  const { made = {}, finishedAt } = earlierWork;
  return Object.fromEntries(reusable.map((stage) => [stage, made[stage] ?? finishedAt]));
}
