// How old what was made may be before it is made again: `redo` of nodes. Pure.
import { makingStages, type Standing } from './stages.ts';
import type { FreshnessRule, Stage } from './types.ts';

/** When each stage of an asset was done, ISO 8601; absent: when the asset was delivered. */
export type MadeAt = Partial<Record<Stage, string>>;

interface Made {
  made?: MadeAt | undefined;
  finishedAt: string;
}

/** The rules that an asset has outlived. */
export function outlived(
  rules: readonly FreshnessRule[],
  { made = {}, finishedAt }: Made,
  nowMs: number,
): FreshnessRule[] {
  return rules.filter(
    ({ stage, olderThanMs }) => nowMs - Date.parse(made[stage] ?? finishedAt) > olderThanMs,
  );
}

/** Stages that stand though some are to be done again. A production file needs the composition alone. */
export function standingBut(stale: readonly Stage[]): Standing {
  if (stale.includes('source')) return [];
  if (stale.includes('composition')) return ['source'];
  return makingStages.filter((stage) => !stale.includes(stage));
}

/** When the stages were done of an asset that is delivered now; empty where all were. */
export function madeAtOf(standing: Standing, before: Made | null): MadeAt {
  if (before === null) return {};
  const { made = {}, finishedAt } = before;
  return Object.fromEntries(standing.map((stage) => [stage, made[stage] ?? finishedAt]));
}
