// Removes a file from its previous path once the same file is at its new path and the record says so.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { foldPath } from '../../language/naming/naming.ts';
import { fingerprintOf } from '../../plan/rows.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import { callKeysOf } from '../../store/records/cell-keys.ts';
import type { DeliveredAsset } from '../../store/runs/finalize-part.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { isIntact } from './existing-files.ts';

interface RenamedContext {
  store: Pick<RunStore, 'recipes' | 'records' | 'pathOwners' | 'context'>;
  connectorNamed: (name: string) => Connector;
  signal: AbortSignal;
  assertLease: () => Promise<void>;
}

/**
 * Removes a file only if its hash matches and no other asset owns the path. Idempotent.
 * @returns warnings about files that could not be removed
 */
export async function removeRenamed(
  asset: DeliveredAsset,
  context: RenamedContext,
): Promise<string[]> {
  const { files, moved } = asset;
  // Another source has the old key now and delivers to the old paths.
  if (moved?.isKeyUnused === false) return [];
  const old = moved ? await context.store.records.read(moved.record) : null;
  const holders = [...callKeysOf(asset), ...(moved ? [moved.key] : [])];
  const renamed = files.flatMap((file) =>
    file.previousPath === undefined ? [] : [{ file, was: file.previousPath }],
  );
  if (renamed.length === 0) return [];
  const { store, connectorNamed } = context;
  const stages = (await store.recipes.known()).get(store.context.recipe);
  const deliveries = Object.values(stages?.deliveries ?? {});
  const deliveryOf = (file: DeliveredFile) =>
    deliveries.find(({ fingerprint }) => fingerprint === fingerprintOf(file.delivery ?? ''));
  const warnings: string[] = [];
  for (const { file, was } of renamed) {
    const delivery = deliveryOf(file);
    if (!delivery) continue;
    const there = files.filter((one) => deliveryOf(one)?.connector === delivery.connector);
    // On a case-insensitive store the old path may be the new one. Another export may own the old path now.
    if (there.some(({ path }) => foldPath(path) === foldPath(was))) continue;
    const connector = connectorNamed(delivery.connector);
    try {
      const recordedFile =
        old?.files.find(({ path }) => path === was) ?? file.previousContent ?? file;
      await removeFile(connector, { holders, file: recordedFile, was }, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof ConnectorError)) throw error;
      warnings.push(`${was} could not be removed from its old path: ${error.what}`);
    }
  }
  return warnings;
}

type Content = Pick<DeliveredFile, 'bytes' | 'sha256'>;

async function removeFile(
  connector: Connector,
  { holders, file, was }: { holders: readonly string[]; file: Content; was: string },
  { store, signal, assertLease }: RenamedContext,
): Promise<void> {
  const holder = await store.pathOwners.ownerOf({ destination: connector.describe(), path: was });
  if (holder !== undefined && !holders.includes(holder)) return;
  if (!(await isIntact(connector, was, file, { signal }))) return;
  await assertLease();
  await connector.remove(was);
}
