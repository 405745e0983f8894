// Which steps each asset comes to, as far as its `when:` conditions can be decided before the run. Pure.
import {
  type ConditionVerdict,
  decideCondition,
  type LateVariable,
} from '../language/condition-verdict.ts';
import { assetScope, compileExpression } from '../language/expressions.ts';
import type { FoundAsset } from '../machinery/cost/found-work.ts';
import type { Plan, Step } from '../plan/types.ts';
import { nodeTypes } from './index.ts';

/**
 * For each step by its id, one verdict an asset in the order of the assets: `yes` it is worked on there, `no` it is
 * passed over, `unknown` only the run can tell. An asset on which a condition fails is worked on there and after it by nobody.
 */
export function reachedSteps(
  plan: Pick<Plan, 'steps' | 'parameters' | 'discovery'>,
  assets: readonly FoundAsset[],
): Map<string, ConditionVerdict[]> {
  const reached = new Map<string, ConditionVerdict[]>();
  const handedOn = new Map<string, ConditionVerdict[]>();
  for (const step of plan.steps) {
    const parents = step.parents.flatMap((id) => {
      const verdicts = handedOn.get(id);
      return verdicts === undefined ? [] : [verdicts];
    });
    const decide = conditionOf(step, plan);
    const comes = assets.map((_, index) => anyOf(parents.map((parent) => parent[index] ?? 'no')));
    const verdicts = comes.map((verdict, index) => {
      const asset = assets[index];
      const isPassed = asset === undefined || verdict === 'no' || verdict === 'fails';
      return isPassed ? verdict : both(verdict, decide(asset));
    });
    reached.set(step.id, verdicts);
    // A step aside hands on what it passes over, too.
    const aside = comes.map((verdict, index) => (verdicts[index] === 'fails' ? 'fails' : verdict));
    handedOn.set(step.id, step.aside ? aside : verdicts);
  }
  return reached;
}

/** A join goes on where some way to it does; without parents all assets come. */
function anyOf(ways: readonly ConditionVerdict[]): ConditionVerdict {
  if (ways.length === 0) return 'yes';
  for (const verdict of ['fails', 'yes', 'unknown'] as const) {
    if (ways.includes(verdict)) return verdict;
  }
  return 'no';
}

function both(comes: ConditionVerdict, holds: ConditionVerdict): ConditionVerdict {
  if (holds === 'fails') return comes === 'yes' ? 'fails' : 'no';
  return holds === 'yes' ? comes : holds;
}

function conditionOf(
  { when, node, parents }: Step,
  { parameters, steps, discovery }: Pick<Plan, 'steps' | 'parameters' | 'discovery'>,
): (asset: FoundAsset) => ConditionVerdict {
  if (when === null) return () => 'yes';
  const condition = compileExpression(when);
  if (!condition.ok) throw new TypeError(`when of ${node}: ${when} is not an expression`);
  const given = new Set(steps.flatMap(({ activity }) => typeOf(activity)?.gives ?? []));
  const category = categoryOf(discovery);
  return (asset) => {
    const { key, source, refs = {} } = asset;
    const isFile = source.id === undefined;
    const isUploaded = isFile && parents.length > 0;
    const scope = assetScope(
      { key, source, refs: isUploaded && category !== null ? { ...refs, category } : refs },
      parameters,
    );
    const late: [LateVariable, boolean][] = [
      ['model.id', refs.modelId === undefined],
      ['model.category', isFile && !isUploaded && category !== null],
      ['template.id', refs.templateId === undefined || given.has('template')],
      ['project.id', refs.projectId === undefined || given.has('project')],
    ];
    return decideCondition(
      condition,
      scope,
      late.flatMap(([variable, isLate]) => (isLate ? [variable] : [])),
    );
  };
}

function typeOf(activity: string) {
  return nodeTypes.find(({ type }) => type === activity);
}

/** Category that the root gives the models of its files; null where it names none. */
function categoryOf({ activity, config }: Plan['discovery']): string | null {
  const type = typeOf(activity);
  const parsed = type?.config.safeParse(config);
  return (parsed?.success && type?.root?.category?.(parsed.data)) || null;
}
