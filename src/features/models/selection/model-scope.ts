// Lists the models of a `modelScope` as assets. Colorway batches then name only new and changed models by id, because a batch
// over the scope itself would repeat all swaps in every run.
import { readyStatuses } from '../../../api/operations/models.ts';
import type { ListContext } from '../../../engine/discovery/list-context.ts';
import type { Lister } from '../../../store/discovery/lister.ts';
import { modelLister } from './select-models.ts';
import { taggedModels } from './tagged-models.ts';

export interface ModelScope {
  type: 'all' | 'tag' | 'manual';
  /** Only for `manual`. */
  modelIds?: readonly string[] | undefined;
  /** Only for `tag`, together with `property`, to which the tags are copied. */
  tagIds?: readonly string[] | undefined;
  property?: string | undefined;
}

export function modelScopeLister(scope: ModelScope, context: ListContext): Lister {
  const { type, modelIds = [], tagIds = [], property = '' } = scope;
  if (type === 'manual' || context.ids !== null) {
    return modelLister({ ids: modelIds, onlyReady: true }, context);
  }
  if (type === 'all') return modelLister({ status: readyStatuses }, context);
  return { list: (signal) => taggedModels({ tagIds, property }, context, signal) };
}
