// Writes the manifests of a pipeline from its records: all files that its exports have delivered and that are in place.
import type { RunWarning } from '../../../plan/contract/contract.ts';
import type { DeliveryManifest } from '../../../plan/delivery-manifests.ts';
import type { Row } from '../../../plan/rows.ts';
import type { Rows } from '../../../store/discovery/rows/rows.ts';
import { modelKeyOf } from '../../../store/records/cell-keys.ts';
import {
  type DeliveredAsset,
  readDeliveredAssets,
} from '../../../store/runs/publications/delivered-assets.ts';
import type { Publication } from '../../../store/runs/publications/publications.ts';
import { OpenManifest, type OpenManifestDeps } from './open-manifest.ts';

export interface ManifestContext extends OpenManifestDeps {
  /** The tables as they are now. Null if the pipeline has none. */
  rows: Rows | null;
  assertLease: () => Promise<void>;
}

/** Maximum number of times that a run rewrites its manifests because another run of the pipeline overtakes it. */
const maxRounds = 20;

/**
 * Writes the manifests. Idempotent. Each file gets its name when it is complete: first the list of changes, then
 * the manifest, then its zips.
 * @returns warnings about zips
 * @throws Error if other runs overtake every round
 */
export async function writeManifests(
  manifests: readonly DeliveryManifest[],
  context: ManifestContext,
): Promise<RunWarning[]> {
  const { publications } = context.store;
  for (let round = 1; round <= maxRounds; round += 1) {
    const publication = await publications.begin();
    const openManifests: OpenManifest[] = [];
    try {
      for (const manifest of manifests) {
        openManifests.push(await OpenManifest.open(manifest, publication, context));
      }
      if (!(await fill(openManifests, publication, context))) continue;
      await context.assertLease();
      await publications.startWriting(publication);
      for (const manifest of openManifests) await manifest.commit();
      await publications.complete(publication);
    } finally {
      for (const manifest of openManifests) await manifest.discard();
    }
    if (!(await publications.isOvertaken(publication)))
      return openManifests.flatMap((manifest) => manifest.warnings());
  }
  throw new Error(
    `other runs of this pipeline changed the manifests during all ${maxRounds} attempts to write them; start runs less often, or one at a time`,
  );
}

/** Fills the staged files in one or two passes over the assets. Returns false if another run has overtaken this one. */
async function fill(
  openManifests: readonly OpenManifest[],
  publication: Publication,
  context: ManifestContext,
): Promise<boolean> {
  const { publications } = context.store;
  await forEachAsset(context, async (asset, row) => {
    for (const manifest of openManifests) await manifest.add(asset, row);
  });
  for (const manifest of openManifests) await manifest.end();
  if (await publications.isOvertaken(publication)) return false;
  if (!openManifests.some((manifest) => manifest.hasSecondPass)) return true;
  for (const manifest of openManifests) await manifest.beginZips();
  await forEachAsset(context, async (asset, row) => {
    for (const manifest of openManifests) await manifest.zip(asset, row);
  });
  for (const manifest of openManifests) await manifest.endZips();
  return !(await publications.isOvertaken(publication));
}

async function forEachAsset(
  { store, signal, rows }: ManifestContext,
  take: (asset: DeliveredAsset, row: Row['values']) => Promise<void>,
): Promise<void> {
  for await (const asset of readDeliveredAssets(store, signal))
    await take(asset, rowOf(asset, rows));
}

/** Returns the current row of the tables. If they no longer contain a row, returns the row of the record. */
function rowOf({ key, source }: DeliveredAsset, rows: Rows | null): Row['values'] {
  const rowMatch = rows?.rowOf(modelKeyOf({ key, source }), source);
  const hasRow = rowMatch !== undefined && rowMatch !== 'skipped' && 'row' in rowMatch;
  return (hasRow ? rowMatch.row : source.row)?.values ?? {};
}
