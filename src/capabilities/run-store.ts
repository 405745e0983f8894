// The store of a run, with what each capability says of its refs.
import type { Connector } from '../connectors/connector.ts';
import { RefBook } from '../store/records/ref-book.ts';
import { RunStore, type RunStoreOptions, type StoreContext } from '../store/runs/run-store.ts';
import { capabilities } from './index.ts';

export const refBook = new RefBook(capabilities.flatMap(({ refs }) => refs ?? []));

/** Opens the store of a run; nothing is read or written before its first use. */
export function openRunStore(
  connector: Connector,
  context: StoreContext,
  options?: RunStoreOptions,
): RunStore {
  return new RunStore(connector, context, refBook, options);
}
