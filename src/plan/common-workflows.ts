import { workflowIds } from './contract.ts';

/** True for workflows that workers of several pipelines and teams have in common. They hold numbers and names of workers alone. */
export function isCommon(workflowId: string): boolean {
  return [workflowIds.allowance(''), workflowIds.lookout('')].some((start) =>
    workflowId.startsWith(start),
  );
}
