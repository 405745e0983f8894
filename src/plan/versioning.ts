// Which build of the workers goes on with a workflow, where workers are versioned. Pure.
import { workflowNames } from './contract.ts';

type WorkflowName = (typeof workflowNames)[keyof typeof workflowNames];

/** PINNED: the build that began it, in its continuations too. AUTO_UPGRADE: the build that is current. */
export const behaviors = {
  [workflowNames.run]: 'PINNED',
  [workflowNames.shard]: 'PINNED',
  // These go on for ever, or wait for somebody for hours, and would keep old workers for as long.
  [workflowNames.intake]: 'AUTO_UPGRADE',
  [workflowNames.notice]: 'AUTO_UPGRADE',
  [workflowNames.allowance]: 'AUTO_UPGRADE',
  [workflowNames.lookout]: 'AUTO_UPGRADE',
  [workflowNames.audit]: 'AUTO_UPGRADE',
} as const satisfies Record<WorkflowName, 'PINNED' | 'AUTO_UPGRADE'>;

/** Types of workflows that end on the build that began them. */
export const pinnedTypes: readonly string[] = Object.entries(behaviors)
  .filter(([, behavior]) => behavior === 'PINNED')
  .map(([name]) => name);

/** Global of workflow code that is true where its worker has a version: a server takes behaviors from no other. */
export const versionedMark = 'renderlineIsVersioned';
