// Every activity of a worker: one per node type, from the registry, and the engine's own bookkeeping.
import { nodeTypes } from '../src/nodes/index.ts';
import type { NodeType } from '../src/nodes/node-type.ts';
import type { Activities, StepInput, StepOutput } from '../src/plan/contract.ts';
import type { StepActivityName } from '../src/plan/types.ts';
import { cancelRemote } from './cancel-remote.ts';
import type { Deps } from './deps.ts';
import { runStep } from './run-step.ts';
import { discover, openShard, settle } from './runs.ts';

type StepActivities = Record<StepActivityName, (input: StepInput) => Promise<StepOutput>>;

export function createActivities(deps: Deps): Activities {
  return {
    ...stepActivities(nodeTypes, deps),
    discover: (input) => discover(input, deps),
    open_shard: (input) => openShard(input, deps),
    settle: (input) => settle(input, deps),
    cancel_remote: (input) => cancelRemote(input, deps),
  };
}

function stepActivities(types: readonly NodeType[], deps: Deps): StepActivities {
  const entries = types.map((node) => [
    node.type,
    (input: StepInput) => runStep(node, input, deps),
  ]);
  return Object.fromEntries(entries) as StepActivities;
}
