// Bundle entry: every workflow type of Renderline.
import { declareBehaviors } from './versioning.ts';

export { allowance } from './allowance.ts';
export { auditLog } from './audit-log.ts';
export { eventTrigger } from './event-trigger.ts';
export { pollLeader } from './poll-leader.ts';
export { pipelineRun } from './run/pipeline-run.ts';
export { runNotice } from './run-notice.ts';
export { assetBatch } from './shard/asset-batch.ts';

declareBehaviors();
