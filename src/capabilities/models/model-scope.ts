// The models of a `modelScope` (2.11) as assets. A batch is then made over those that are new or changed, by their
// ids: one under the scope itself would swap all of them again every night.
import { readyStatuses } from '../../api/operations/models.ts';
import type { ListContext } from '../../machinery/discovery/list-context.ts';
import type { Lister } from '../../store/discovery/lister.ts';
import { modelLister } from './select-models.ts';
import { taggedModels } from './tagged-models.ts';

export interface ModelScope {
  type: 'all' | 'tag' | 'manual';
  /** `manual` only. */
  modelIds?: readonly string[] | undefined;
  /** `tag` only, with the property that is kept for them. */
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
