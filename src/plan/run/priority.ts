// Priority of a run's tasks, and the fairness key for sharing worker slots among pipelines. Pure.
import { textBytesOf } from '../helpers/bytes.ts';
import { shortHashOf } from '../helpers/short-hash.ts';
import type { PriorityName } from '../types.ts';
import type { RunContext } from './run-context.ts';

/** A run with at most this number of assets is urgent by default. That many assets fill one call. */
const maxUrgentAssets = 50;

/** Temporal's priority keys go from 1, the highest, to 5. Tasks without a key have 3. */
const keys: Readonly<Record<PriorityName, number>> = { urgent: 1, normal: 3, bulk: 5 };
/** Maximum size of a fairness key in Temporal, in bytes. */
const fairnessBytes = 64;

/** Returns Temporal's priority of a run's tasks. Pipelines share the slots evenly, however many tasks each has. */
export function priorityOf(
  context: Pick<RunContext, 'pipeline' | 'alias' | 'urgent' | 'priority'>,
): {
  priorityKey: number;
  fairnessKey: string;
} {
  const { pipeline, alias = pipeline, urgent, priority } = context;
  return {
    priorityKey: keys[urgent ? 'urgent' : (priority ?? 'normal')],
    fairnessKey: textBytesOf(alias) <= fairnessBytes ? alias : shortHashOf(alias),
  };
}

/** Returns the context of a run with this number of assets. @param isListedFully true if the listing is finished */
export function withAssetCount(
  context: RunContext,
  assetCount: number,
  isListedFully: boolean,
): RunContext {
  // A run that needs several discovery pages is so large that nobody waits for it, so it is not urgent.
  const isUrgent = isListedFully && context.priority === undefined && assetCount <= maxUrgentAssets;
  return { ...context, assetCount, ...(isUrgent ? { urgent: true } : {}) };
}
