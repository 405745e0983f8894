// Removes files that lie under a name of before, once the same picture lies under its new one and its record says so.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { foldPath } from '../../language/naming.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { Delivered } from '../../store/runs/settle.ts';
import { isWhole } from './standing-files.ts';

interface RenamedContext {
  store: Pick<RunStore, 'recipes' | 'records' | 'paths' | 'context'>;
  connectorNamed: (name: string) => Connector;
  signal: AbortSignal;
  hold: () => Promise<void>;
}

/**
 * A file goes only where it is ours, by its hash, and nobody else's name. Safe when it runs twice.
 * @returns warnings about what could not be removed
 */
export async function removeRenamed(
  { key, files, moved }: Delivered,
  context: RenamedContext,
): Promise<string[]> {
  // Another source has the old key, and delivers under the old names.
  if (moved?.isGone === false) return [];
  const old = moved ? await context.store.records.read(moved.record) : null;
  const holders = moved ? [key, moved.key] : [key];
  const renamed = files.flatMap((file) =>
    file.was === undefined ? [] : [{ file, was: file.was }],
  );
  if (renamed.length === 0) return [];
  const { store, connectorNamed } = context;
  const stages = (await store.recipes.known()).get(store.context.recipe);
  const deliveries = Object.values(stages?.deliveries ?? {});
  const warnings: string[] = [];
  for (const { file, was } of renamed) {
    const delivery = deliveries.find(({ mark }) => mark === file.delivery);
    const ours = files.filter((one) => one.delivery === file.delivery);
    // Where case does not count, the old name is the new one.
    if (!delivery || ours.some(({ path }) => foldPath(path) === foldPath(was))) continue;
    const connector = connectorNamed(delivery.connector);
    try {
      const there = old?.files.find(({ path }) => path === was) ?? file;
      await removeOne(connector, { holders, file: there, was }, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof ConnectorError)) throw error;
      warnings.push(`${was} lies there still, under its old name: ${error.what}`);
    }
  }
  return warnings;
}

async function removeOne(
  connector: Connector,
  { holders, file, was }: { holders: readonly string[]; file: DeliveredFile; was: string },
  { store, signal, hold }: RenamedContext,
): Promise<void> {
  const holder = await store.paths.holder({ place: connector.describe(), path: was });
  if (holder !== undefined && !holders.includes(holder)) return;
  if (!(await isWhole(connector, was, file, { signal }))) return;
  await hold();
  await connector.remove(was);
}
