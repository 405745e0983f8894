// Builds the freshness rules of a plan from the `redo` field of each node. Results that are too old are created again.
import type { FreshnessRule, Plan, Stage } from '../plan/types.ts';
import type { NodeDraft } from './node-draft.ts';

/** Returns the stage that the `redo` of a node applies to, or null if the node creates nothing itself. */
export function findFreshnessStage({ type, config }: NodeDraft): Stage | null {
  const stage = type?.stage ?? null;
  if (stage !== 'delivery' || !type?.sheet) return stage;
  // This export creates the production files that it delivers, so its stage is the sheet.
  return config !== null && type.sheet(config) !== null ? 'sheet' : stage;
}

/** Returns a plan's freshness rules. Undefined without rules. If nodes share a stage, the strictest rule applies. */
export function freshnessOf(order: readonly NodeDraft[]): Plan['freshness'] {
  const rules = new Map<Stage, FreshnessRule>();
  for (const node of order) {
    const { olderThanMs } = node;
    const stage = findFreshnessStage(node);
    if (stage === null || olderThanMs === null) continue;
    const limitMs = rules.get(stage)?.olderThanMs ?? olderThanMs;
    rules.set(stage, { stage, olderThanMs: Math.min(limitMs, olderThanMs) });
  }
  return rules.size === 0 ? undefined : [...rules.values()];
}
