// Compares the plan of a run with the plan of its current file. Pure.
import { toCanonicalJson } from '../../language/hash.ts';
import type { Json, Plan, Step } from '../../plan/types.ts';
import { compareWithLastRun, type PlanDifference } from '../../store/runs/last-run.ts';

/**
 * Fields that are not compared in a general way, because they are compared separately, are part of other fields, or do
 * not change what a run does. All other fields are compared as a whole.
 */
const fieldsNotCompared: ReadonlySet<string> = new Set<keyof Plan>([
  'schema',
  'hash',
  'pipeline',
  'alias',
  'file',
  'parameters',
  'destination',
  'recipe',
  'stages',
  'steps',
  'shardSize',
  'window',
  'workspace',
  'route',
]);

export interface PlansDifference extends Pick<PlanDifference, 'recipeChanged' | 'parameters'> {
  steps: { added: string[]; removed: string[]; changed: string[] };
  /** Names of other fields of the plan that differ. */
  other: string[];
}

export function comparePlans(previous: Plan, current: Plan): PlansDifference {
  const lastRun = { ...previous, run: '', startedAt: '' };
  const { recipeChanged, parameters } = compareWithLastRun(lastRun, current);
  const stepsOf = (plan: Plan) =>
    new Map(plan.steps.map((step) => [step.id, toCanonicalText(removeEngineFields(step))]));
  const [old, now] = [stepsOf(previous), stepsOf(current)];
  return {
    recipeChanged,
    parameters,
    steps: {
      added: [...now.keys()].filter((id) => !old.has(id)),
      removed: [...old.keys()].filter((id) => !now.has(id)),
      changed: [...now].flatMap(([id, text]) => (old.has(id) && old.get(id) !== text ? [id] : [])),
    },
    other: (Object.keys({ ...previous, ...current }) as (keyof Plan)[]).filter(
      (field) =>
        !fieldsNotCompared.has(field) &&
        toCanonicalText(previous[field]) !== toCanonicalText(current[field]),
    ),
  };
}

/** True if the plans differ only in fields that the engine sets, which may change with its version. */
export function isSamePlan({ recipeChanged, parameters, steps, other }: PlansDifference): boolean {
  const { added, removed, changed } = steps;
  const names = [Object.keys(parameters), added, removed, changed, other];
  return !recipeChanged && names.every(({ length }) => length === 0);
}

export function formatDifference(difference: PlansDifference): string[] {
  const { recipeChanged, parameters, steps, other } = difference;
  const formatNames = (label: string, names: readonly string[]) =>
    names.length === 0 ? [] : [`${label}: ${names.join(', ')}`];
  return [
    ...Object.entries(parameters).map(
      ([name, { was, is }]) => `parameter ${name}: ${JSON.stringify(was)} -> ${JSON.stringify(is)}`,
    ),
    ...formatNames('steps changed', steps.changed),
    ...formatNames('steps added', steps.added),
    ...formatNames('steps removed', steps.removed),
    ...formatNames('changed', other),
    ...(recipeChanged
      ? [
          'how assets are processed: with the current file, each asset starts at the first changed stage',
        ]
      : []),
  ];
}

function removeEngineFields(step: Step) {
  const { startToCloseMs: _ms, heartbeatMs: _beat, chain: _chain, delivery: _mark, ...rest } = step;
  return rest;
}

/** Converts part of a plan to text. The cast is safe, because a field of a plan is plain JSON or undefined. */
function toCanonicalText(part: object | string | number | null | undefined): string {
  return toCanonicalJson((part ?? null) as Json);
}
