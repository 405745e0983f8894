// Maximum ages of results before they are created again: the `redo` field of nodes. Pure.
import { makingStages, type Standing } from './stages.ts';
import type { FreshnessRule, Stage } from './types.ts';

/** When each stage of an asset was done, ISO 8601; absent: when the asset was delivered. */
export type MadeAt = Partial<Record<Stage, string>>;

interface Made {
  made?: MadeAt | undefined;
  finishedAt: string;
}

/** The rules whose maximum age an asset exceeds. */
export function outlived(
  rules: readonly FreshnessRule[],
  { made = {}, finishedAt }: Made,
  nowMs: number,
): FreshnessRule[] {
  return rules.filter(
    ({ stage, olderThanMs }) => nowMs - Date.parse(made[stage] ?? finishedAt) > olderThanMs,
  );
}

/** Stages that can be reused although some are stale. A production file needs only the composition. */
export function standingBut(stale: readonly Stage[]): Standing {
  if (stale.includes('source')) return [];
  if (stale.includes('composition')) return ['source'];
  return makingStages.filter((stage) => !stale.includes(stage));
}

/** When the reused stages of an asset were done that is delivered now; empty if none was reused. */
export function madeAtOf(standing: Standing, before: Made | null): MadeAt {
  if (before === null) return {};
  const { made = {}, finishedAt } = before;
  return Object.fromEntries(standing.map((stage) => [stage, made[stage] ?? finishedAt]));
}
