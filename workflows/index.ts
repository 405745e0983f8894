// Bundle entry: every workflow type of Renderline.
import { declareBehaviors } from './versioning.ts';

export { allowance } from './allowance.ts';
export { assetBatch } from './asset-batch.ts';
export { auditLog } from './audit-log.ts';
export { eventTrigger } from './event-intake.ts';
export { pollLeader } from './lookout.ts';
export { pipelineRun } from './pipeline-run.ts';
export { runNotice } from './run-notice.ts';

declareBehaviors();
