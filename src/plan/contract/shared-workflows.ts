import { workflowIds } from './contract.ts';

/** True for workflows that workers of several pipelines and teams share. They contain only numbers and worker names. */
export function isSharedWorkflow(workflowId: string): boolean {
  return [workflowIds.allowance(''), workflowIds.pollLeader('')].some((start) =>
    workflowId.startsWith(start),
  );
}
