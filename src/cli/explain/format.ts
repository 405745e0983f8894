// Formats why the next run would process or skip an asset, and what a code means.
import { docsUrlOf } from '../../app/docs-page.ts';
import {
  formatFailure,
  formatReason,
  isProcessedNext,
  type KeyExplanation,
} from '../../app/explain/asset-verdict.ts';
import type { CodeShape } from '../../app/explain/explain-code.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatLines } from '../../plan/helpers/format-first.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import type { AssetSource } from '../../plan/types.ts';
import { formatWithdrawn } from '../../plan/withdrawal.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxLines = 5;

export function formatExplanation(input: KeyExplanation, paint: Paint): string {
  const explanation = escapeForTerminal(input);
  const { key, source, record, claim } = explanation;
  const runs = isProcessedNext(explanation);
  const head = `${paint('bold', key)}  ${paint(runs ? 'green' : 'yellow', runs ? 'will run' : 'will not run')}`;
  const lines = withoutFalse([
    source !== null && `source   ${formatSource(source)}`,
    ...explanation.rows.map((row) => `row      ${formatRow(row)}`),
    record !== null && `record   ${formatRecord(record, source)}`,
    claim !== null && `claim    ${formatClaim(explanation)}`,
  ]);
  return [head, `  ${formatReason(explanation)}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function formatSource({ path, id, bytes, mtimeMs }: AssetSource): string {
  const size = bytes === 0 ? '' : `, ${formatCount(bytes, 'byte')}`;
  const timeNote =
    mtimeMs === 0 ? '' : `, modified ${formatTimestamp(new Date(mtimeMs).toISOString())}`;
  return `${path}${id === undefined ? '' : ` (${id})`}${size}${timeNote}`;
}

function formatRow({ place, lines, values }: KeyExplanation['rows'][number]): string {
  const position = `${place}, ${formatLines(lines, maxLines)}`;
  const cells = Object.entries(values).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return cells.length === 0 ? position : `${position}: ${cells.join(', ')}`;
}

function formatRecord(record: AssetRecord, current: AssetSource | null): string {
  const { run, finishedAt, files, source, moved, withdrawn } = record;
  if (withdrawn) {
    const { at, archived, deleted } = withdrawn;
    return `withdrawn ${formatTimestamp(at)} by ${withdrawn.run}: ${formatWithdrawn({ assets: 1, archived, deleted })}`;
  }
  const moveNote = moved === undefined ? '' : `, moved from ${moved.key}`;
  const sourceNote = source.version === current?.version ? '' : `, from ${formatSource(source)}`;
  return `delivered ${formatTimestamp(finishedAt)} by ${run}: ${formatCount(files.length, 'file')}${moveNote}${sourceNote}`;
}

function formatClaim({ claim, isWorking }: KeyExplanation): string {
  if (claim === null) return '';
  const { run, state, at, failure } = claim;
  if (state !== 'working') {
    const reason = failure ? `: ${formatFailure(failure)}` : '';
    return `${state} in ${run} at ${formatTimestamp(at)}${reason}`;
  }
  const end = isWorking
    ? 'the run is open'
    : 'the run has ended, so another run may claim the asset';
  const status = isWorking === null ? 'it is unknown whether the run is open' : end;
  return `by ${run} since ${formatTimestamp(at)}; ${status}`;
}

const scopeDescriptions: Readonly<Record<CodeShape['scope'], string>> = {
  file: 'a problem in a pipeline file, found before anything is sent',
  asset: 'a failure of one asset; other assets are not affected',
  run: 'a failure that stops a whole run until it is fixed',
  command: 'a failure of one command',
};

export function formatCode(
  { code, scope, title, fix, exit, waitExits }: CodeShape,
  paint: Paint,
): string {
  const ends = exit === null ? '' : `, exit code ${exit}`;
  const ofWait = waitExits.join(' or ');
  const waits = ofWait === '' || ofWait === `${exit}` ? '' : `; of \`run --wait\`: ${ofWait}`;
  return [
    `${paint('bold', code)}  ${title}`,
    `  ${paint('dim', `${scopeDescriptions[scope]}${ends}${waits}`)}`,
    '',
    ...fix.split('\n').map((line) => `  ${line}`),
    '',
    `  ${paint('dim', docsUrlOf(code))}`,
  ].join('\n');
}
