// CEL conditions over the unfinished assets of a run: `rerun --where`.
import type { UnfinishedAsset } from '../../store/discovery/unfinished-assets.ts';
import { compileCondition } from './condition.ts';

const fields = {
  key: 'string',
  path: 'string',
  outcome: 'string',
  node: 'string',
  code: 'string',
  message: 'string',
  attempts: 'double',
  modelId: 'string',
  projectId: 'string',
  jobId: 'string',
} as const;

/** @throws WhereError if the source is not a valid condition. The filter itself throws ExpressionError */
export function createUnfinishedFilter(source: string): (unfinished: UnfinishedAsset) => boolean {
  const fits = compileCondition(fields, source, 'code == "RENDER_FAILED"');
  return (unfinished) => fits(valuesOf(unfinished));
}

function valuesOf({ key, asset, outcome, failure, platformIds }: UnfinishedAsset) {
  const { modelId = '', projectId = '', jobId = '' } = platformIds;
  const noFailure = { node: '', code: '', message: '', attempts: 0 };
  const { node, code, message, attempts } = failure ?? noFailure;
  const path = asset?.source.path ?? key;
  return { key, path, outcome, node, code, message, attempts, modelId, projectId, jobId };
}
