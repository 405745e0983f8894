// The rules by which what was made is made again once it is too old: `redo` of each node.
import type { FreshnessRule, Plan, Stage } from '../plan/types.ts';
import type { NodeDraft } from './node-draft.ts';

/** The stage of which a node's `redo` speaks; null for a node that makes nothing of its own. */
export function redoStage({ type, config }: NodeDraft): Stage | null {
  const stage = type?.stage ?? null;
  if (stage !== 'delivery' || !type?.sheet) return stage;
  const parsed = type.config.safeParse(config);
  // Its steps make the production file that it delivers.
  return parsed.success && type.sheet(parsed.data) !== null ? 'sheet' : stage;
}

/** Nothing where no node has a rule. Of several for one stage the strictest holds. */
export function freshnessOf(order: readonly NodeDraft[]): Pick<Plan, 'freshness'> {
  const rules = new Map<Stage, FreshnessRule>();
  for (const node of order) {
    const { olderThanMs } = node;
    const stage = redoStage(node);
    if (stage === null || olderThanMs === null) continue;
    const known = rules.get(stage)?.olderThanMs ?? olderThanMs;
    rules.set(stage, { stage, olderThanMs: Math.min(known, olderThanMs) });
  }
  return rules.size === 0 ? {} : { freshness: [...rules.values()] };
}
