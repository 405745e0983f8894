// Plans which files of a withdrawn asset are archived or deleted. Only files whose hash matches the record are touched.
import type { Connector } from '../../../connectors/connector.ts';
import { ConnectorError } from '../../../connectors/connector-error.ts';
import { fingerprintOf } from '../../../plan/rows.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import {
  archiveFolder,
  findWithdrawalRule,
  type WithdrawalRule,
  type WithdrawalRules,
} from '../../../plan/withdrawal.ts';
import { callKeysOf } from '../../../store/records/cell-keys.ts';
import { createConnectorFinder, type KnownRecipes } from '../../../store/records/recipes.ts';
import type { AssetRecord } from '../../../store/records/records.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';
import { isFileIntact } from '../existing-files.ts';
import { hasFile, sharedFilesOf } from './shared-files.ts';

interface FileWithRule {
  file: DeliveredFile;
  /** Rule that decides how the file is withdrawn. Null if the file stays. */
  rule: WithdrawalRule | null;
}

/** A file to archive or delete. */
export interface FileMove {
  file: DeliveredFile;
  connector: Connector;
  /** Path in the archive. Null if the file is deleted. */
  to: string | null;
  /** True if an earlier attempt removed the file. */
  isDone: boolean;
}

export interface FileMoves {
  moves: FileMove[];
  /** Files that stay in the record. */
  keptFiles: DeliveredFile[];
  /** Files of the model that are still in the records of its other cells. */
  sharedFiles: DeliveredFile[];
  warnings: string[];
  /** True if a file could not be read, so that the next run must check it again. */
  isUnread: boolean;
}

export interface MoveContext {
  rules: WithdrawalRules;
  store: Pick<RunStore, 'recipes' | 'pathOwners'>;
  getConnector: (name: string) => Connector;
  signal: AbortSignal;
}

/**
 * Returns the record's files with their withdrawal rules. A cell's shared model files are added only if a current
 * export delivers them and its rule does not keep them. Archived files stay where they are.
 */
export function findFileRules(
  record: AssetRecord,
  rules: WithdrawalRules,
  knownRecipes: KnownRecipes,
): FileWithRule[] {
  const connectorOf = createConnectorFinder(knownRecipes);
  const withRule = (file: DeliveredFile) => {
    const rule = findWithdrawalRule(rules, file.delivery, connectorOf(file.delivery));
    const stays = rule === null || rule.policy === 'keep' || file.withdrawn === 'archived';
    return { file, rule: stays ? null : rule };
  };
  const sharedFiles = sharedFilesOf(record).filter(
    (file) => fingerprintOf(file.delivery) in rules.exports && !hasFile(record.files, file),
  );
  const ruledFiles = sharedFiles.map(withRule).filter(({ rule }) => rule !== null);
  return [...record.files.map(withRule), ...ruledFiles];
}

/**
 * Checks each file at its destination. Changes nothing.
 * @param cells the other cells of the record's model that stay, from `ModelCells.findOthers`
 */
export async function planMoves(
  record: AssetRecord,
  cells: readonly AssetRecord[],
  context: MoveContext,
): Promise<FileMoves> {
  const files = findFileRules(record, context.rules, await context.store.recipes.readKnown());
  const plan: FileMoves = {
    moves: [],
    keptFiles: [],
    sharedFiles: [],
    warnings: [],
    isUnread: false,
  };
  for (const { file, rule } of files) {
    if (cells.some((cell) => hasFile(sharedFilesOf(cell), file))) {
      plan.sharedFiles.push(file);
      continue;
    }
    if (rule === null) {
      if (!isArchiveCopy(file, record)) plan.keptFiles.push(file);
      continue;
    }
    const connector = context.getConnector(rule.connector);
    try {
      const state = await readFileState(record, file, connector, context);
      if (state === 'replaced')
        plan.warnings.push(
          `${file.path} was kept, because somebody has replaced the delivered file`,
        );
      if (state !== 'ours' && state !== 'removed') continue;
      const isArchived = rule.policy === 'archive';
      const to = isArchived ? await findArchivePath(connector, file, context) : null;
      plan.moves.push({ file, connector, to, isDone: state === 'removed' });
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof ConnectorError)) throw error;
      plan.isUnread = true;
      plan.keptFiles.push(file);
      plan.warnings.push(`${file.path} was kept: ${error.what}`);
    }
  }
  return plan;
}

/** True for the archive copy of a file whose withdrawal has started. Its path is computed again. */
function isArchiveCopy(file: DeliveredFile, { withdrawn, files }: AssetRecord): boolean {
  if (withdrawn?.state !== 'leaving' || file.withdrawn !== 'archived') return false;
  return files.some(
    ({ withdrawn: state, sha256 }) => state === 'leaving' && sha256 === file.sha256,
  );
}

type FileState = 'ours' | 'replaced' | 'removed' | 'absent' | 'owned by another';

async function readFileState(
  record: AssetRecord,
  file: DeliveredFile,
  connector: Connector,
  { store, signal }: MoveContext,
): Promise<FileState> {
  const { path } = file;
  const holder = await store.pathOwners.ownerOf({ destination: connector.describe(), path });
  if (holder !== undefined && !callKeysOf(record).includes(holder)) return 'owned by another';
  if ((await connector.stat(path)) === null) {
    return file.withdrawn === 'leaving' ? 'removed' : 'absent';
  }
  return (await isFileIntact(connector, path, file, { signal })) ? 'ours' : 'replaced';
}

/** Returns the file's path below the archive folder. Adds a part of the hash if another file already has that path. */
async function findArchivePath(
  connector: Connector,
  file: DeliveredFile,
  { signal }: MoveContext,
): Promise<string> {
  const path = `${archiveFolder}/${file.path}`;
  const entry = await connector.stat(path);
  if (entry === null || (await isFileIntact(connector, path, file, { signal }))) return path;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const index = dot <= 0 ? path.length : path.length - name.length + dot;
  return `${path.slice(0, index)}-${file.sha256.slice(0, 8)}${path.slice(index)}`;
}
