// A run as its activities know it: its id, and the part of its plan that is the same for all of them.
import type { RunLimits } from './run-limits.ts';
import type { ConnectorSpec, Plan, PriorityName } from './types.ts';
import { withoutUndefined } from './without-undefined.ts';

/** Travels in every activity input. */
export interface RunContext {
  run: string;
  /** Minted at first start, inherited by retry, reset, continue-as-new and rerun. */
  lineage: string;
  /** Rises when a person reruns failed work; never with a retry. */
  epoch: number;
  pipeline: string;
  /** See Plan. */
  alias?: string;
  recipe: string;
  parameters: Plan['parameters'];
  connectors: Record<string, ConnectorSpec>;
  records: ConnectorSpec;
  operations?: Plan['operations'];
  workspace?: Plan['workspace'];
  /** The one host that has its folders; absent: any worker will do. */
  host?: string;
  /** Somebody waits for it: its tasks and requests come before those of other runs. */
  urgent?: true;
  /** Assets that it has found to do, at first; absent before that. */
  toDo?: number;
  /** What lies nowhere any more may be rendered again: a person has said so, or the file caps renders. */
  rendersAgain?: true;
  /** What the file or a person says; absent: the number of assets decides. */
  priority?: PriorityName;
}

export function runContextOf(
  plan: Plan,
  of: Pick<RunContext, 'run' | 'lineage' | 'epoch' | 'rendersAgain'> & { limits?: RunLimits },
): RunContext {
  const { run, lineage, epoch, rendersAgain, limits } = of;
  const { pipeline, recipe, parameters, connectors, records } = plan;
  const { alias, operations, workspace, host, priority } = plan;
  return {
    run,
    lineage,
    epoch,
    pipeline,
    recipe,
    parameters,
    connectors,
    records,
    ...withoutUndefined({ alias, operations, workspace, host, priority }),
    ...(priority === 'urgent' ? { urgent: true } : {}),
    ...(rendersAgain || limits?.renders !== undefined ? { rendersAgain: true } : {}),
  };
}

/** What a run, or what it hands on, says of its host. */
export function hostOf({ host }: { host?: string } = {}): { host?: string } {
  return host === undefined ? {} : { host };
}

/** True for a state of a run that a pause can hold. */
export function isUnderWay(state: string): boolean {
  return state === 'discovering' || state === 'running';
}
