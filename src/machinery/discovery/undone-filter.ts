// CEL conditions over the unfinished assets of a run: `rerun --where`.
import type { Undone } from '../../store/discovery/undone.ts';
import { conditionOver } from './condition.ts';

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

export type UndoneFilter = (undone: Undone) => boolean;

/** @throws WhereError if the source is not a valid condition; the filter itself throws ExpressionError */
export function undoneFilter(source: string): UndoneFilter {
  const fits = conditionOver(fields, source, 'code == "RENDER_FAILED"');
  return (undone) => fits(valuesOf(undone));
}

function valuesOf({ key, asset, outcome, failure, refs }: Undone) {
  const { modelId = '', projectId = '', jobId = '' } = refs;
  const { node, code, message, attempts } = failure ?? {
    node: '',
    code: '',
    message: '',
    attempts: 0,
  };
  const path = asset?.source.path ?? key;
  return { key, path, outcome, node, code, message, attempts, modelId, projectId, jobId };
}
