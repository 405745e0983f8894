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

export type UnfinishedFilter = (unfinished: UnfinishedAsset) => boolean;

/** @throws WhereError if the source is not a valid condition; the filter itself throws ExpressionError */
export function createUnfinishedFilter(source: string): UnfinishedFilter {
  const fits = compileCondition(fields, source, 'code == "RENDER_FAILED"');
  return (unfinished) => fits(valuesOf(unfinished));
}

function valuesOf({ key, asset, outcome, failure, platformIds }: UnfinishedAsset) {
  const { modelId = '', projectId = '', jobId = '' } = platformIds;
  const { node, code, message, attempts } = failure ?? {
    node: '',
    code: '',
    message: '',
    attempts: 0,
  };
  const path = asset?.source.path ?? key;
  return { key, path, outcome, node, code, message, attempts, modelId, projectId, jobId };
}
