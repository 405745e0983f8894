// Withdraws one asset: archives or deletes its files and updates its record. A worker may die after any step. The record is
// therefore marked `leaving` before the first file is moved, so that the next attempt continues, and a source that reappears in
// between is delivered again.
import { ConnectorError } from '../../../connectors/connector-error.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import type { Claim, ClaimHolder, ClaimWish } from '../../../store/claims/claims.ts';
import { moveKeyOf } from '../../../store/claims/move-key.ts';
import { isSourceGone, type SourcePlace } from '../../../store/discovery/gone.ts';
import { isCell } from '../../../store/records/asset-names.ts';
import type { AssetRecord } from '../../../store/records/records.ts';
import { nameInState, type WithdrawalState } from '../../../store/records/withdrawn.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';
import { copy, isWhole } from '../standing-files.ts';
import { type FileMove, type FileMoves, type MoveContext, movesOf } from './file-moves.ts';

export interface WithdrawContext extends MoveContext {
  store: RunStore;
  source: Pick<SourcePlace, 'connector'>;
  isAlive: (holder: ClaimHolder) => Promise<boolean>;
  hold: () => Promise<void>;
}

export interface WithdrawnAsset {
  key: string;
  archived: number;
  deleted: number;
  /** All files were archived or deleted. */
  isWithdrawn: boolean;
  warnings: string[];
}

/** Recipe of a withdrawal's claim. The asset's platform ids are in its record, not in this claim. */
const noRecipe = 'withdrawal';

const nothing: WithdrawnAsset = {
  key: '',
  archived: 0,
  deleted: 0,
  isWithdrawn: false,
  warnings: [],
};

/**
 * Idempotent, and safe beside another run.
 * @param name record name from the discovery
 */
export async function withdrawAsset(
  name: string,
  context: WithdrawContext,
): Promise<WithdrawnAsset> {
  const { records, claims, context: run } = context.store;
  const done = await records.read(nameInState(name, 'withdrawn'));
  if (done?.withdrawn?.run === run.run) {
    const { archived, deleted } = done.withdrawn;
    // An attempt that died after its last write left its claim behind.
    await giveBack(done.key, await claims.read(done.key), context);
    return { key: done.key, archived, deleted, isWithdrawn: true, warnings: [] };
  }
  const listed = await newest(name, context);
  if (listed === null) return nothing;
  const { key } = listed;
  const before = await claims.read(key);
  await context.hold();
  const { ours } = await claims.claim(wishOf(listed, before), {
    isAlive: context.isAlive,
    adopt: async (one) => one.refs ?? {},
  });
  // Another run works on the asset, or withdraws it.
  if (!ours) return nothing;
  try {
    const record = await newest(name, context);
    if (record === null || !(await isStillGone(record, context))) return nothing;
    if (await goesOn(name, context)) return nothing;
    return await withdraw(record, context);
  } finally {
    await giveBack(key, before, context);
  }
}

/** Keeps version and recipe of an existing claim, so that a later run can reuse what a failed run created. */
function wishOf({ key, source }: AssetRecord, before: Claim | null): ClaimWish {
  const version = before?.version ?? source.version;
  return { key, version, recipe: before?.recipe ?? noRecipe, shard: 0 };
}

async function giveBack(
  key: string,
  before: Claim | null,
  { store }: WithdrawContext,
): Promise<void> {
  if (before === null || before.recipe === noRecipe) return store.claims.release(key);
  const { version, recipe, refs, state, failure = null } = before;
  const wish = { key, version, recipe, shard: before.shard, ...(refs ? { refs } : {}) };
  await store.claims.leave(wish, state === 'working' ? 'cancelled' : state, failure);
}

/** Reads the newest record of the asset; null if another run replaced it by a record of another version. */
async function newest(name: string, { store }: WithdrawContext): Promise<AssetRecord | null> {
  const states: (WithdrawalState | null)[] = [null, 'leaving'];
  const read = await Promise.all(
    states.map((state) => store.records.read(nameInState(name, state))),
  );
  const [first = null, ...others] = read.flatMap((record) => record ?? []);
  const whenOf = (record: AssetRecord) => record.withdrawn?.at ?? record.finishedAt;
  return others.reduce((one, other) => (one && whenOf(one) > whenOf(other) ? one : other), first);
}

/** A cell disappears with its table row, which only the discovery reads, so cells are not checked here. */
async function isStillGone(record: AssetRecord, { source }: WithdrawContext): Promise<boolean> {
  return isCell(record) || isSourceGone(record, source);
}

/** True if another run is assigning the record to a moved source. */
async function goesOn(name: string, { store, isAlive }: WithdrawContext): Promise<boolean> {
  const claim = await store.claims.read(moveKeyOf(name));
  return claim?.state === 'working' && (await isAlive(claim));
}

async function withdraw(record: AssetRecord, context: WithdrawContext): Promise<WithdrawnAsset> {
  const { moves, stay, warnings } = await movesOf(record, context);
  const copies = moves.flatMap(archivedAs);
  const leaving = moves.map(({ file }) => ({ ...file, withdrawn: 'leaving' as const }));
  // Archive copies come first, so that a source that reappears is restored from the archive and leaves nothing there.
  await keep(record, 'leaving', { files: [...copies, ...leaving, ...stay], moves }, context);
  let isWithdrawn = true;
  const moved: FileMove[] = [];
  for (const move of moves) {
    const trouble = await moveOne(move, context).catch((error: unknown) => {
      context.signal.throwIfAborted();
      if (!(error instanceof ConnectorError)) throw error;
      return error.what;
    });
    if (trouble === null) moved.push(move);
    else {
      isWithdrawn = false;
      warnings.push(`${move.file.path} could not be withdrawn: ${trouble}`);
    }
  }
  if (isWithdrawn) await keep(record, 'withdrawn', { files: [...copies, ...stay], moves }, context);
  return { key: record.key, ...countsOf(moved), isWithdrawn, warnings };
}

function archivedAs({ file, to }: FileMove): DeliveredFile[] {
  return to === null ? [] : [{ ...file, path: to, withdrawn: 'archived' }];
}

function countsOf(moves: readonly Pick<FileMove, 'to'>[]) {
  const archived = moves.filter(({ to }) => to !== null).length;
  return { archived, deleted: moves.length - archived };
}

/** Writes the record with a withdrawal state and deletes its records in other states. */
async function keep(
  { schema: _schema, ...record }: AssetRecord,
  state: WithdrawalState,
  { files, moves }: Pick<FileMoves, 'moves'> & { files: DeliveredFile[] },
  { store, hold }: WithdrawContext,
): Promise<void> {
  await hold();
  const { run } = store.context;
  const at = new Date(store.now()).toISOString();
  const withdrawn = { state, run, at, ...countsOf(moves) };
  const name = await store.records.write({ ...record, files, withdrawn });
  for (const other of [null, 'leaving', 'withdrawn'] as const) {
    const old = nameInState(name, other);
    if (old !== name) await store.records.remove(old);
  }
}

/** Copies, verifies, then deletes, because not all connectors can move a file. Returns the reason if that fails, else null. */
async function moveOne(
  { file, connector, to, isDone }: FileMove,
  { signal, hold }: WithdrawContext,
): Promise<string | null> {
  if (isDone) return null;
  const isThere = async () => to === null || isWhole(connector, to, file, { signal });
  if (to !== null && !(await isThere())) {
    const wanted = { path: to, connector, inspect: async () => ({ width: 0, height: 0 }) };
    const each = { signal, heartbeat: () => undefined, holdLease: hold };
    const isCopied = await copy({ file, place: connector }, wanted, each);
    if (!isCopied || !(await isThere())) return 'it changed during the withdrawal';
  }
  await hold();
  await connector.remove(file.path);
  return null;
}
