// Bundle entry: every workflow type of Renderline.
export { assetBatch } from './asset-batch.ts';
export { pipelineRun } from './pipeline-run.ts';
export { runNotice } from './run-notice.ts';
