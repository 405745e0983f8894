// Determines which steps each asset reaches, as far as `when:` conditions can be evaluated before the run. Pure.

import type { FoundAsset } from '../engine/cost/found-work.ts';
import {
  type ConditionVerdict,
  decideCondition,
  type UnresolvedVariable,
} from '../language/condition-verdict.ts';
import { compileExpression, toExpressionScope } from '../language/expressions.ts';
import type { Plan, Step } from '../plan/types.ts';
import { findNodeType } from './index.ts';

export type ReachedSteps = ReadonlyMap<string, readonly ConditionVerdict[]>;

/**
 * Returns, for each step id, one verdict per asset, in the order of `assets`. `yes`: the step processes it. `no`: the
 * step does not. `unknown`: only the run can decide. `fails`: the `when:` of this or an earlier step throws.
 */
export function resolveReachedSteps(
  plan: Pick<Plan, 'steps' | 'parameters' | 'discovery'>,
  assets: readonly FoundAsset[],
): ReachedSteps {
  const verdictsByStep = new Map<string, ConditionVerdict[]>();
  const forwarded = new Map<string, ConditionVerdict[]>();
  for (const step of plan.steps) {
    const parents = step.parents
      .map((id) => forwarded.get(id))
      .filter((verdicts) => verdicts !== undefined);
    const decide = compileCondition(step, plan);
    const arrivals = assets.map((_, index) =>
      joinVerdicts(parents.map((parent) => parent[index] ?? 'no')),
    );
    const verdicts = assets.map((asset, index) => {
      const verdict = arrivals[index] ?? 'no';
      const isPassed = verdict === 'no' || verdict === 'fails';
      return isPassed ? verdict : combineVerdicts(verdict, decide(asset));
    });
    verdictsByStep.set(step.id, verdicts);
    // A side step also passes on the assets that it skips, so skipped assets arrive at its children.
    const sideStepVerdicts = arrivals.map((verdict, index) =>
      verdicts[index] === 'fails' ? 'fails' : verdict,
    );
    forwarded.set(step.id, step.isSideStep ? sideStepVerdicts : verdicts);
  }
  return verdictsByStep;
}

/**
 * Combines the verdicts of parents. An asset reaches a join if it arrives from any parent, unless a condition before
 * another parent fails. A step without parents receives all assets.
 */
function joinVerdicts(parentVerdicts: readonly ConditionVerdict[]): ConditionVerdict {
  if (parentVerdicts.length === 0) return 'yes';
  for (const verdict of ['fails', 'yes', 'unknown'] as const) {
    if (parentVerdicts.includes(verdict)) return verdict;
  }
  return 'no';
}

function combineVerdicts(
  pathVerdict: ConditionVerdict,
  conditionVerdict: ConditionVerdict,
): ConditionVerdict {
  if (conditionVerdict === 'fails') return pathVerdict === 'yes' ? 'fails' : 'no';
  return conditionVerdict === 'yes' ? pathVerdict : conditionVerdict;
}

function compileCondition(
  { when, node, parents }: Step,
  { parameters, steps, discovery }: Pick<Plan, 'steps' | 'parameters' | 'discovery'>,
): (asset: FoundAsset) => ConditionVerdict {
  if (when === null) return () => 'yes';
  const condition = compileExpression(when);
  if (!condition.ok) throw new TypeError(`when of ${node}: ${when} is not an expression`);
  const givenResources = new Set(
    steps.flatMap(({ activity }) => findNodeType(activity)?.gives ?? []),
  );
  const category = categoryOf(discovery);
  return ({ key, source, platformIds = {} }) => {
    const isFile = source.id === undefined;
    const isUploaded = isFile && parents.length > 0;
    const ids = isUploaded && category !== null ? { ...platformIds, category } : platformIds;
    const scope = toExpressionScope({ key, source, platformIds: ids }, parameters);
    const unresolved: [UnresolvedVariable, boolean][] = [
      ['model.id', platformIds.modelId === undefined],
      ['model.category', isFile && !isUploaded && category !== null],
      ['model.properties', true],
      ['template.id', platformIds.templateId === undefined || givenResources.has('template')],
      ['project.id', platformIds.projectId === undefined || givenResources.has('project')],
    ];
    const variables = unresolved.filter(([, isUnresolved]) => isUnresolved);
    return decideCondition(
      condition,
      scope,
      variables.map(([variable]) => variable),
    );
  };
}

/** Returns the category that the root node assigns to its models, or null if it assigns none. */
function categoryOf({ activity, config }: Plan['discovery']): string | null {
  const type = findNodeType(activity);
  const result = type?.config.safeParse(config);
  return (result?.success && type?.root?.category?.(result.data)) || null;
}
