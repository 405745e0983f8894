import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { foldPath } from '../../language/naming/naming.ts';
import { fingerprintOf } from '../../plan/rows.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import { callKeysOf } from '../../store/records/cell-keys.ts';
import { createConnectorFinder } from '../../store/records/recipes.ts';
import type { CompletedAsset } from '../../store/runs/finalize-part.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { isFileIntact } from './existing-files.ts';

interface RenamedContext {
  store: Pick<RunStore, 'recipes' | 'records' | 'pathOwners' | 'context'>;
  getConnector: (name: string) => Connector;
  signal: AbortSignal;
  assertLease: () => Promise<void>;
}

/** Removes a file, but only if its hash matches and no other asset owns the path. Idempotent. @returns warnings */
export async function removeRenamed(
  asset: CompletedAsset,
  context: RenamedContext,
): Promise<string[]> {
  const { files, moved } = asset;
  // Another source has the old key now and delivers to the old paths, so nothing is removed.
  if (moved?.isKeyUnused === false) return [];
  const previousRecord = moved ? await context.store.records.read(moved.record) : null;
  const previousKeys = moved
    ? [moved.key, ...(previousRecord ? callKeysOf(previousRecord) : [])]
    : [];
  const holders = [...callKeysOf(asset), ...previousKeys];
  const renamedFiles = files.flatMap((file) => {
    const { previousPath = [], obsoletePaths = [] } = file;
    return [previousPath, obsoletePaths].flat().map((was) => ({ file, was }));
  });
  if (renamedFiles.length === 0) return [];
  const { store, getConnector } = context;
  const knownRecipes = await store.recipes.readKnown();
  const connectorOf = createConnectorFinder(knownRecipes);
  const deliveries = Object.values(knownRecipes.get(store.context.recipe)?.deliveries ?? {});
  const deliveryOf = (file: DeliveredFile) =>
    deliveries.find(({ fingerprint }) => fingerprint === fingerprintOf(file.delivery ?? ''));
  const warnings: string[] = [];
  for (const { file, was } of renamedFiles) {
    const delivery = deliveryOf(file);
    if (!delivery) continue;
    const filesOfConnector = files.filter(
      (candidate) => deliveryOf(candidate)?.connector === delivery.connector,
    );
    // On a case-insensitive store the old path may equal the new one. Another export may also own the old path now.
    if (filesOfConnector.some(({ path }) => foldPath(path) === foldPath(was))) continue;
    const connector = getConnector(delivery.connector);
    const recordedFile = previousRecord?.files.find(
      (candidate) =>
        candidate.path === was && connectorOf(candidate.delivery) === delivery.connector,
    );
    const previousContent = was === file.previousPath ? (file.previousContent ?? file) : null;
    const content = recordedFile ?? previousContent;
    if (content === null) continue;
    try {
      await removeFile(connector, was, content, holders, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof ConnectorError)) throw error;
      warnings.push(`${was} could not be removed from its old path: ${error.what}`);
    }
  }
  return warnings;
}

async function removeFile(
  connector: Connector,
  was: string,
  content: Pick<DeliveredFile, 'bytes' | 'sha256'>,
  holders: readonly string[],
  { store, signal, assertLease }: RenamedContext,
): Promise<void> {
  if (!(await isFileIntact(connector, was, content, { signal }))) return;
  await assertLease();
  // The owner is read last, because another asset may take over a released path.
  const path = { destination: connector.describe(), path: was };
  const holder = await store.pathOwners.ownerOf(path);
  if (holder !== undefined && !holders.includes(holder)) return;
  await connector.remove(was);
  if (holder !== undefined) await store.pathOwners.claim([], [{ ...path, key: holder }]);
}
