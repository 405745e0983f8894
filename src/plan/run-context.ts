// A run as its activities know it: its id, and the part of its plan that is the same for all of them.
import type { ConnectorSpec, Plan } from './types.ts';

/** Travels in every activity input. */
export interface RunContext {
  run: string;
  /** Minted at first start, inherited by retry, reset, continue-as-new and rerun. */
  lineage: string;
  /** Rises when a person reruns failed work; never with a retry. */
  epoch: number;
  pipeline: string;
  recipe: string;
  parameters: Plan['parameters'];
  connectors: Record<string, ConnectorSpec>;
  records: ConnectorSpec;
  operations?: Plan['operations'];
  workspace?: Plan['workspace'];
  /** Somebody waits for it: its tasks and requests come before those of other runs. */
  urgent?: true;
}

export function runContextOf(
  plan: Plan,
  who: Pick<RunContext, 'run' | 'lineage' | 'epoch'>,
): RunContext {
  const { pipeline, recipe, parameters, connectors, records, operations, workspace } = plan;
  const named = operations === undefined ? {} : { operations };
  const whose = workspace === undefined ? {} : { workspace };
  return { ...who, pipeline, recipe, parameters, connectors, records, ...named, ...whose };
}
