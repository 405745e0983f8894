// What activities know of a run: which one it is, and of its plan what is the same for all of them.
import type { RunContext } from './contract.ts';
import type { Plan } from './types.ts';

export function runContextOf(
  plan: Plan,
  who: Pick<RunContext, 'run' | 'lineage' | 'epoch'>,
): RunContext {
  const { pipeline, recipe, parameters, connectors, records, operations, workspace } = plan;
  const named = operations === undefined ? {} : { operations };
  const whose = workspace === undefined ? {} : { workspace };
  return { ...who, pipeline, recipe, parameters, connectors, records, ...named, ...whose };
}
