// Model files, which all cells of a model share. All cells reference them, but only the record of one cell owns them.
// When that cell is withdrawn, the record of another cell takes them over. The last cell withdraws them.
import type { PlatformIds } from '../../../plan/platform-ids.ts';
import { fingerprintOf } from '../../../plan/rows.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import { recordName } from '../../../store/objects/object-name.ts';
import { isCell, modelKeyOf } from '../../../store/records/cell-keys.ts';
import type { AssetRecord, Records } from '../../../store/records/records.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';
import { removeDeliveryFields } from '../existing-files.ts';
import { type ClaimContext, withClaim } from './with-claim.ts';

/** Returns the files that an asset references and shares with other cells. Empty if the asset is not a cell. */
export function sharedFilesOf(record: AssetRecord): readonly DeliveredFile[] {
  return isCell(record) ? (record.platformIds.modelFiles ?? []) : [];
}

/** Finds the other delivered cells of the model. Returns none if the asset shares no files. */
export async function findOtherCells(
  record: AssetRecord,
  { records }: { records: Pick<Records, 'cellsOf'> },
): Promise<AssetRecord[]> {
  if (sharedFilesOf(record).length === 0) return [];
  const cells = await records.cellsOf(modelKeyOf(record));
  return cells.filter(({ key, withdrawn }) => key !== record.key && withdrawn === undefined);
}

/**
 * The delivered cells of a model whose cells are withdrawn one after another. Reads them once, and again before it
 * withdraws a file that no other cell still shares, because another run may have delivered a cell meanwhile.
 */
export class ModelCells {
  #cells: AssetRecord[] = [];

  /** Like `findOtherCells`. */
  async findOthers(record: AssetRecord, records: Pick<Records, 'cellsOf'>): Promise<AssetRecord[]> {
    const known = { records: { cellsOf: async () => this.#cells } };
    const others = await findOtherCells(record, known);
    const isShared = (file: DeliveredFile) =>
      others.some((cell) => hasFile(sharedFilesOf(cell), file));
    if (sharedFilesOf(record).every(isShared)) return others;
    this.#cells = await records.cellsOf(modelKeyOf(record));
    return findOtherCells(record, known);
  }

  /** Notes the new content of the record of a cell. */
  replace(record: Pick<AssetRecord, 'key' | 'files' | 'platformIds' | 'withdrawn'>): void {
    this.#cells = this.#cells.map((cell) =>
      cell.key === record.key ? { ...cell, ...record } : cell,
    );
  }
}

export function hasFile(
  files: readonly DeliveredFile[],
  { path, delivery }: DeliveredFile,
): boolean {
  const fingerprint = fingerprintOf(delivery);
  return files.some((file) => file.path === path && fingerprintOf(file.delivery) === fingerprint);
}

interface HandoverContext extends ClaimContext {
  store: RunStore;
  cells: ModelCells;
}

interface HandoverResult {
  /** Ids of the record, with the new owners of the files. */
  platformIds: PlatformIds;
  /** Files that no record could take, for example because other runs work on the other cells. */
  remainingFiles: DeliveredFile[];
}

/**
 * Transfers shared files to the records of other cells that reference them. Idempotent.
 * @param cells from `ModelCells.findOthers`
 */
export async function handOverFiles(
  { files: ownFiles, platformIds: previousIds }: AssetRecord,
  files: readonly DeliveredFile[],
  cells: readonly AssetRecord[],
  context: HandoverContext,
): Promise<HandoverResult> {
  const isOwned = (file: DeliveredFile) => cells.some((cell) => hasFile(cell.files, file));
  const openFiles = files.filter((file) => hasFile(ownFiles, file) || !isOwned(file));
  // If an earlier attempt died, the cell that it had chosen comes first.
  const hasAny = (cell: AssetRecord) => Number(openFiles.some((file) => hasFile(cell.files, file)));
  let platformIds = previousIds;
  let remainingFiles = openFiles;
  for (const cell of cells.toSorted((a, b) => hasAny(b) - hasAny(a))) {
    const cellFiles = remainingFiles.filter((file) => hasFile(sharedFilesOf(cell), file));
    if (cellFiles.length === 0) continue;
    const isTaken = await withClaim(cell, context, () => addFiles(cell, cellFiles, context));
    if (isTaken !== true) continue;
    remainingFiles = remainingFiles.filter((file) => !cellFiles.includes(file));
    platformIds = withOwner(platformIds, cellFiles, cell.key);
  }
  return { platformIds, remainingFiles };
}

/** Adds the files to the record of a cell. Returns false if another run has replaced the record. */
async function addFiles(
  { key, source, recipe }: AssetRecord,
  files: readonly DeliveredFile[],
  { store, cells, assertLease }: HandoverContext,
): Promise<boolean> {
  const current = await store.records.read(recordName(key, source.version, recipe));
  if (current === null) return false;
  const addedFiles = files.filter((file) => !hasFile(current.files, file));
  if (addedFiles.length === 0) return true;
  const ownFiles = addedFiles.map((file) => ({ ...removeDeliveryFields(file), key }));
  const { schema: _schema, ...record } = current;
  const platformIds = withOwner(current.platformIds, files, key);
  await assertLease();
  const taken = { ...record, files: [...current.files, ...ownFiles], platformIds };
  await store.records.write(taken);
  cells.replace(taken);
  return true;
}

function withOwner(
  platformIds: PlatformIds,
  files: readonly DeliveredFile[],
  key: string,
): PlatformIds {
  const modelFiles = (platformIds.modelFiles ?? []).map((file) =>
    hasFile(files, file) ? { ...file, key } : file,
  );
  return { ...platformIds, modelFiles };
}
