// Bundle entry: every workflow type of Renderline.
export { assetBatch } from './asset-batch.ts';
export { eventIntake } from './event-intake.ts';
export { pipelineRun } from './pipeline-run.ts';
export { runNotice } from './run-notice.ts';
