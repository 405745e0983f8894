// Withdraws one asset: archives or deletes its files and updates its record. A worker may die after any step. Therefore
// the record is marked `leaving` before the first file is moved. The next attempt can then continue, and a source that
// reappears in between is delivered again.
import { ConnectorError } from '../../../connectors/connector-error.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import { moveClaimKey } from '../../../store/claims/claims.ts';
import {
  isSourceMissing,
  type SourceLocation,
} from '../../../store/discovery/moves/missing-sources.ts';
import { isRowOrCell } from '../../../store/records/cell-keys.ts';
import type { AssetRecord } from '../../../store/records/records.ts';
import { nameInState, type WithdrawalState } from '../../../store/records/withdrawal-state.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';
import { copyFile, isFileIntact } from '../existing-files.ts';
import { type FileMove, type MoveContext, planMoves } from './file-moves.ts';
import { handOverFiles, type ModelCells } from './shared-files.ts';
import { type ClaimContext, restoreClaim, withClaim } from './with-claim.ts';

export interface WithdrawContext extends MoveContext, ClaimContext {
  store: RunStore;
  source: Pick<SourceLocation, 'connector'>;
  /** Cells of the asset's model. */
  cells: ModelCells;
}

export interface WithdrawnAsset {
  key: string;
  archived: number;
  deleted: number;
  /** True if no file is left to archive, delete or hand over. */
  isWithdrawn: boolean;
  warnings: string[];
}

const nothingWithdrawn: WithdrawnAsset = {
  key: '',
  archived: 0,
  deleted: 0,
  isWithdrawn: false,
  warnings: [],
};

/**
 * Withdraws the asset of a record. Idempotent, and safe while another run is working. A run withdraws the cells of one
 * model one after another.
 * @param name record name from the discovery
 */
export async function withdrawAsset(
  name: string,
  context: WithdrawContext,
): Promise<WithdrawnAsset> {
  const { records, claims, context: run } = context.store;
  const withdrawnRecord = await records.read(nameInState(name, 'withdrawn'));
  if (withdrawnRecord?.withdrawn?.run === run.run) {
    const { archived, deleted } = withdrawnRecord.withdrawn;
    // The claim may still exist, because an earlier attempt died after its last write.
    await restoreClaim(withdrawnRecord.key, await claims.read(withdrawnRecord.key), context);
    return { key: withdrawnRecord.key, archived, deleted, isWithdrawn: true, warnings: [] };
  }
  const newestRecord = await readNewestRecord(name, context);
  if (newestRecord === null) return nothingWithdrawn;
  const withdrawn = await withClaim(newestRecord, context, async () => {
    const record = await readNewestRecord(name, context);
    if (record === null) return null;
    const isMissing = isRowOrCell(record) || (await isSourceMissing(record, context.source));
    if (!isMissing || (await isKeyMoving(name, context))) return null;
    return withdrawRecord(record, context);
  });
  return withdrawn ?? nothingWithdrawn;
}

/** Reads the newest record of the asset. Returns null if another run replaced it with a record of another version. */
function readNewestRecord(name: string, { store }: WithdrawContext): Promise<AssetRecord | null> {
  return store.records.readNewest([nameInState(name, null), nameInState(name, 'leaving')]);
}

/** True if another run is assigning the record to a moved source. */
async function isKeyMoving(name: string, context: WithdrawContext): Promise<boolean> {
  const { claims } = context.store;
  const claim = await claims.read(moveClaimKey(name));
  return claim?.state === 'working' && (await claims.isHeld(claim, context));
}

async function withdrawRecord(
  newestRecord: AssetRecord,
  context: WithdrawContext,
): Promise<WithdrawnAsset> {
  const cells = await context.cells.findOthers(newestRecord, context.store.records);
  const { moves, sharedFiles, warnings, ...plan } = await planMoves(newestRecord, cells, context);
  const { platformIds, remainingFiles } = await handOverFiles(
    newestRecord,
    sharedFiles,
    cells,
    context,
  );
  const record = { ...newestRecord, platformIds };
  const keptFiles = [...plan.keptFiles, ...remainingFiles];
  const copies = moves.flatMap(({ file, to }): DeliveredFile[] =>
    to === null ? [] : [{ ...file, path: to, withdrawn: 'archived' }],
  );
  const leavingFiles = moves.map(({ file }) => ({ ...file, withdrawn: 'leaving' as const }));
  // Archive copies come first. If a source reappears, it is restored from the archive and leaves nothing there.
  const files = [...copies, ...leavingFiles, ...keptFiles];
  await writeRecord({ ...record, files }, 'leaving', moves, context);
  let isWithdrawn = !plan.isUnread && remainingFiles.length === 0;
  const finishedMoves: FileMove[] = [];
  for (const move of moves) {
    const problem = await moveFile(move, context).catch((error: unknown) => {
      context.signal.throwIfAborted();
      if (!(error instanceof ConnectorError)) throw error;
      return error.what;
    });
    if (problem === null) finishedMoves.push(move);
    else {
      isWithdrawn = false;
      warnings.push(`${move.file.path} could not be withdrawn: ${problem}`);
    }
  }
  if (isWithdrawn)
    await writeRecord({ ...record, files: [...copies, ...keptFiles] }, 'withdrawn', moves, context);
  return { key: record.key, ...countMoves(finishedMoves), isWithdrawn, warnings };
}

function countMoves(moves: readonly FileMove[]) {
  const archived = moves.filter(({ to }) => to !== null).length;
  return { archived, deleted: moves.length - archived };
}

/** Writes the record with a withdrawal state and deletes its records in other states. */
async function writeRecord(
  { schema: _schema, ...record }: AssetRecord,
  state: WithdrawalState,
  moves: readonly FileMove[],
  { store, cells, assertLease }: WithdrawContext,
): Promise<void> {
  await assertLease();
  const { run } = store.context;
  const withdrawnAt = new Date(store.now()).toISOString();
  const withdrawn = { state, run, at: withdrawnAt, ...countMoves(moves) };
  const name = await store.records.write({ ...record, withdrawn });
  cells.replace({ ...record, withdrawn });
  for (const other of [null, 'leaving', 'withdrawn'] as const) {
    const oldName = nameInState(name, other);
    if (oldName !== name) await store.records.remove(oldName);
  }
}

/** Deletes a file. An archived file is first copied and verified. Returns why the copy failed, or null. */
async function moveFile(
  { file, connector, to, isDone }: FileMove,
  { signal, assertLease }: WithdrawContext,
): Promise<string | null> {
  if (isDone) return null;
  const isTargetIntact = async () => to === null || isFileIntact(connector, to, file, { signal });
  if (to !== null && !(await isTargetIntact())) {
    const target = { path: to, connector, inspect: async () => ({ width: 0, height: 0 }) };
    const copyContext = { signal, heartbeat: () => undefined, assertLease };
    const isCopied = await copyFile({ file, connector }, target, copyContext);
    if (!isCopied || !(await isTargetIntact())) return 'the file changed during the withdrawal';
  }
  await assertLease();
  await connector.remove(file.path);
  return null;
}
