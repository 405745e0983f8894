// Plans which files of a withdrawn asset are archived or deleted. Only files whose hash matches the record are touched.
import type { Connector } from '../../../connectors/connector.ts';
import { ConnectorError } from '../../../connectors/connector-error.ts';
import type { DeliveredFile } from '../../../plan/types.ts';
import {
  archiveFolder,
  ruleFor,
  type WithdrawalRule,
  type WithdrawalRules,
} from '../../../plan/withdrawal.ts';
import type { KnownRecipes } from '../../../store/records/recipes.ts';
import type { AssetRecord } from '../../../store/records/records.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';
import { connectorsByMark, isWhole, withOutputs } from '../standing-files.ts';

interface RuledFile {
  file: DeliveredFile;
  /** null: the file stays. */
  rule: WithdrawalRule | null;
}

/** A file to archive or delete. */
export interface FileMove {
  file: DeliveredFile;
  connector: Connector;
  /** Path in the archive; null: the file is deleted. */
  to: string | null;
  /** An earlier attempt removed the file. */
  isDone: boolean;
}

export interface FileMoves {
  moves: FileMove[];
  /** Our files that stay. */
  stay: DeliveredFile[];
  warnings: string[];
}

export interface MoveContext {
  rules: WithdrawalRules;
  store: Pick<RunStore, 'recipes' | 'paths'>;
  connectorNamed: (name: string) => Connector;
  signal: AbortSignal;
}

/** Files of a record with their withdrawal rules. Archived files stay where they are. */
export function ruledFiles(
  record: AssetRecord,
  rules: WithdrawalRules,
  known: KnownRecipes,
): RuledFile[] {
  const connectors = connectorsByMark(known);
  return withOutputs(record, known).map((file) => {
    const rule = ruleFor(rules, file.delivery, connectors.get(file.delivery ?? ''));
    const stays = rule === null || rule.policy === 'keep' || file.withdrawn === 'archived';
    return { file, rule: stays ? null : rule };
  });
}

/** Checks each file at its destination. Changes nothing. */
export async function movesOf(record: AssetRecord, context: MoveContext): Promise<FileMoves> {
  const files = ruledFiles(record, context.rules, await context.store.recipes.known());
  const found: FileMoves = { moves: [], stay: [], warnings: [] };
  for (const { file, rule } of files) {
    if (rule === null) {
      if (!isCopyOf(file, record)) found.stay.push(file);
      continue;
    }
    const connector = context.connectorNamed(rule.connector);
    try {
      const state = await stateOf(record.key, file, connector, context);
      if (state === 'replaced') found.warnings.push(replacedWords(file));
      if (state !== 'ours' && state !== 'taken away') continue;
      const to = rule.policy === 'archive' ? await archivePath(connector, file, context) : null;
      found.moves.push({ file, connector, to, isDone: state === 'taken away' });
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof ConnectorError)) throw error;
      found.stay.push(file);
      found.warnings.push(`${file.path} was kept: ${error.what}`);
    }
  }
  return found;
}

/** True for the archive copy of a file whose withdrawal has started; its path is computed again. */
function isCopyOf(file: DeliveredFile, { withdrawn, files }: AssetRecord): boolean {
  if (withdrawn?.state !== 'leaving' || file.withdrawn !== 'archived') return false;
  return files.some((one) => one.withdrawn === 'leaving' && one.sha256 === file.sha256);
}

function replacedWords({ path }: DeliveredFile): string {
  return `${path} was kept: somebody has replaced the delivered file`;
}

type FileState = 'ours' | 'replaced' | 'taken away' | 'absent' | 'of another';

async function stateOf(
  key: string,
  file: DeliveredFile,
  connector: Connector,
  { store, signal }: MoveContext,
): Promise<FileState> {
  const { path } = file;
  const holder = await store.paths.holder({ place: connector.describe(), path });
  if (holder !== undefined && holder !== key) return 'of another';
  if ((await connector.stat(path)) === null) {
    return file.withdrawn === 'leaving' ? 'taken away' : 'absent';
  }
  return (await isWhole(connector, path, file, { signal })) ? 'ours' : 'replaced';
}

/** The same path in the archive; with a part of the hash if another file has that path. */
async function archivePath(
  connector: Connector,
  file: DeliveredFile,
  { signal }: MoveContext,
): Promise<string> {
  const path = `${archiveFolder}/${file.path}`;
  const there = await connector.stat(path);
  if (there === null || (await isWhole(connector, path, file, { signal }))) return path;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const at = dot <= 0 ? path.length : path.length - name.length + dot;
  return `${path.slice(0, at)}-${file.sha256.slice(0, 8)}${path.slice(at)}`;
}
