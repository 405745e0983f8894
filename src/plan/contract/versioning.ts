// Decides which build of the workers continues a workflow, if workers are versioned. Pure.
import { workflowNames } from './contract.ts';

type WorkflowName = (typeof workflowNames)[keyof typeof workflowNames];

/** PINNED: the build that started the workflow, including its continuations. AUTO_UPGRADE: the current build. */
export const behaviors = {
  [workflowNames.run]: 'PINNED',
  [workflowNames.shard]: 'PINNED',
  // These workflows run forever or wait for hours. If pinned, they would need workers of old builds for that time.
  [workflowNames.eventTrigger]: 'AUTO_UPGRADE',
  [workflowNames.notice]: 'AUTO_UPGRADE',
  [workflowNames.allowance]: 'AUTO_UPGRADE',
  [workflowNames.pollLeader]: 'AUTO_UPGRADE',
  [workflowNames.audit]: 'AUTO_UPGRADE',
} as const satisfies Record<WorkflowName, 'PINNED' | 'AUTO_UPGRADE'>;

/** Types of workflows that finish on the build that started them. */
export const pinnedTypes: readonly string[] = Object.entries(behaviors)
  .filter(([, behavior]) => behavior === 'PINNED')
  .map(([name]) => name);

/** Name of a global that is true on versioned workers. The server rejects behaviors from other workers. */
export const versionedFlag = 'renderlineIsVersioned';
