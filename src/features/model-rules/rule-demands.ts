// Decides which rules apply to an asset, and compares the inspection of its file with them. Pure.
import { z } from 'zod';
import type { FailureReason } from '../../failures/fail.ts';
import { type ConditionVerdict, decideBeforeUpload } from '../../language/condition-verdict.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Asset, FileDemand, Json, Plan } from '../../plan/types.ts';
import { compareModel, type InspectedModel } from './compare-model.ts';
import { ruleFailures } from './failures.ts';
import { ModelRules } from './rules.ts';

const RuleDemand = z.strictObject({ rules: ModelRules });

/** The rules of a node as JSON for the plan. */
export function ruleDemand(rules: ModelRules): Json {
  return JSON.parse(JSON.stringify({ rules }));
}

export interface NodeRules {
  node: string;
  rules: ModelRules;
  /** `unknown` if the condition of the node reads data that only the run knows. */
  applies: Exclude<ConditionVerdict, 'no'>;
}

/** The rules for an asset. None if work was paid for after the upload, so that changed rules redo no work. */
export function rulesFor(
  asset: Asset,
  demands: readonly FileDemand[],
  parameters: Plan['parameters'],
): NodeRules[] {
  if (hasPaidWork(asset.platformIds)) return [];
  return demands.flatMap(({ node, needs, when }): NodeRules[] => {
    const { data } = RuleDemand.safeParse(needs);
    // Nodes of other features demand something else.
    if (data === undefined) return [];
    const verdicts = when.map((condition) => decideBeforeUpload(condition, asset, parameters));
    if (verdicts.includes('no')) return [];
    const applies = verdicts.find((verdict) => verdict !== 'yes') ?? 'yes';
    return [{ node, rules: data.rules, applies: applies === 'no' ? 'yes' : applies }];
  });
}

/** True if more than the upload was done for the asset. */
function hasPaidWork({ projectId, colorway, variants }: PlatformIds): boolean {
  return projectId !== undefined || colorway !== undefined || variants !== undefined;
}

/** True if a rule needs the findings of the validator. */
export function asksKhronos(applied: readonly NodeRules[]): boolean {
  return applied.some(({ rules, applies }) => applies === 'yes' && rules.khronos !== 'off');
}

export interface RuleCheck {
  /** Failure with all broken rules of level `fail`; null if there are none. */
  problem: FailureReason | null;
  warnings: string[];
}

/** Compares a model with all of its rules, and reports all broken rules together. */
export function checkRules(applied: readonly NodeRules[], model: InspectedModel): RuleCheck {
  const broken: string[] = [];
  const warnings: string[] = [];
  for (const { node, rules, applies } of applied) {
    if (applies !== 'yes') {
      const why = applies === 'fails' ? 'fails' : 'needs what only the run knows';
      warnings.push(`${node}: not checked, because the condition in \`when\` ${why}`);
      continue;
    }
    for (const { level, message } of compareModel(rules, model)) {
      if (level === 'fail') broken.push(`${node}: ${message}`);
      else warnings.push(`${node}: ${message}`);
    }
  }
  if (broken.length === 0) return { problem: null, warnings };
  const verb = broken.length === 1 ? 'is' : 'are';
  const message = `${formatCount(broken.length, 'rule')} ${verb} broken. ${broken.join('. ')}`;
  return { problem: { failure: ruleFailures.MODEL_RULE_BROKEN, message }, warnings };
}
