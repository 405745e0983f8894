import type { Connector } from '../connectors/connector.ts';
import { IdRules } from '../store/records/id-rules.ts';
import { RunStore, type RunStoreOptions, type StoreContext } from '../store/runs/run-store.ts';
import { dimensions } from './grid/dimensions.ts';
import { features } from './index.ts';

export const idRules = new IdRules(
  features.flatMap(({ idRules: platformIds }) => platformIds ?? []),
  Object.fromEntries(dimensions.map(({ name, ids }) => [name, ids?.recipeIndependentIds ?? []])),
);

/** Opens the store of a run. No I/O happens before the first use of the store. */
export function openRunStore(
  connector: Connector,
  context: StoreContext,
  options?: RunStoreOptions,
): RunStore {
  return new RunStore(connector, context, idRules, options);
}
