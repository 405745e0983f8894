// Chains steps that have no waits in between in one activity, to save six history events and a workflow task. Pure.
import type { Step } from '../../plan/types.ts';

/** Steps whose attempts may take this long or longer transfer files. Retrying them alone is cheaper. */
const fileTransferMs = 10 * 60_000;

/** Adds to each step the ids of the steps that its activity also runs. Grids have none, because calls batch by kind. */
export function withChains(steps: readonly Step[]): Step[] {
  return steps.map((step) => {
    const chain = chainStepsAfter(step, steps);
    return chain.length > 0 ? { ...step, chain } : step;
  });
}

function chainStepsAfter(first: Step, steps: readonly Step[]): string[] {
  const ids: string[] = [];
  for (let current = first; isBriefCall(current); ) {
    const children = steps.filter(({ parents }) => parents.includes(current.id));
    const [next] = children;
    if (!next || children.length > 1 || next.parents.length > 1 || !isBriefCall(next)) break;
    ids.push(next.id);
    current = next;
  }
  return ids;
}

function isBriefCall({ mode, isSideStep, cells, startToCloseMs }: Step): boolean {
  return mode === 'call' && !isSideStep && cells === undefined && startToCloseMs < fileTransferMs;
}
