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

/** Returns the rules of a node as JSON for the plan. */
export function ruleDemandOf(rules: ModelRules): Json {
  return JSON.parse(JSON.stringify({ rules }));
}

export interface NodeRules {
  node: string;
  rules: ModelRules;
  /** `unknown` if the condition of the node reads data that only the run knows. */
  applies: Exclude<ConditionVerdict, 'no'>;
}

/** Finds the rules for an asset. None if work was paid for after the upload, so changed rules do not redo work. */
export function findNodeRules(
  asset: Asset,
  demands: readonly FileDemand[],
  parameters: Plan['parameters'],
): NodeRules[] {
  if (hasPaidWork(asset.platformIds)) return [];
  return demands.flatMap(({ node, needs, when }): NodeRules[] => {
    const { data } = RuleDemand.safeParse(needs);
    // The demand may come from a node of another feature.
    if (data === undefined) return [];
    const verdicts = when.map((condition) => decideBeforeUpload(condition, asset, parameters));
    if (verdicts.includes('no')) return [];
    const applies =
      verdicts.find((verdict) => verdict === 'unknown' || verdict === 'fails') ?? 'yes';
    return [{ node, rules: data.rules, applies }];
  });
}

/** True if work other than the upload was done for the asset. */
function hasPaidWork({ projectId, colorway, variants }: PlatformIds): boolean {
  return projectId !== undefined || colorway !== undefined || variants !== undefined;
}

/** True if a rule needs the findings of the validator. */
export function isValidatorNeeded(nodeRules: readonly NodeRules[]): boolean {
  return nodeRules.some(({ rules, applies }) => applies === 'yes' && rules.khronos !== 'off');
}

/** Compares a model with all of its rules. `problem` lists all broken rules of level `fail`. Null if there are none. */
export function checkRules(
  nodeRules: readonly NodeRules[],
  model: InspectedModel,
): { problem: FailureReason | null; warnings: string[] } {
  const brokenRules: string[] = [];
  const warnings: string[] = [];
  for (const { node, rules, applies } of nodeRules) {
    if (applies !== 'yes') {
      const reason =
        applies === 'fails' ? 'cannot be evaluated' : 'depends on values known only during the run';
      warnings.push(`${node}: not checked, because the condition in \`when\` ${reason}`);
      continue;
    }
    for (const { level, message } of compareModel(rules, model)) {
      if (level === 'fail') brokenRules.push(`${node}: ${message}`);
      else warnings.push(`${node}: ${message}`);
    }
  }
  if (brokenRules.length === 0) return { problem: null, warnings };
  const verb = brokenRules.length === 1 ? 'is' : 'are';
  const message = `${formatCount(brokenRules.length, 'rule')} ${verb} broken. ${brokenRules.join('. ')}`;
  return { problem: { failure: ruleFailures.MODEL_RULE_BROKEN, message }, warnings };
}
