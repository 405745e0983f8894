// Formats why the next run takes an asset or not.
import { explainFailure } from '../../features/failures.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { locationOf } from '../../plan/run/location.ts';
import { agedStartPointPhrases, startPointPhrases } from '../../plan/run/start-points.ts';
import type { AssetSource, ConnectorSpec } from '../../plan/types.ts';
import { formatWithdrawn } from '../../plan/withdrawal.ts';
import type { Claim } from '../../store/claims/claims.ts';
import type { KeyVerdict, Verdict } from '../../store/discovery/explain-key.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { Paint } from '../color.ts';
import { formatFix } from '../runs/format-fix.ts';
import { escapeForTerminal } from '../terminal-text.ts';

/** All facts about one key. */
export interface KeyExplanation extends KeyVerdict {
  /** Record of the last delivery; null if there is none. */
  record: AssetRecord | null;
  claim: Claim | null;
  /** Whether the claiming run is open; null if there is no claim, or Temporal cannot be reached. */
  isWorking: boolean | null;
  recipe: string;
  records: ConnectorSpec;
}

const verdictsThatRun: ReadonlySet<Verdict> = new Set([
  'new',
  'retry',
  'changed',
  'recipe',
  'redeliver',
  'age',
]);

/** Whether the next run takes the asset. */
export function willRun({ verdict, isWorking }: KeyExplanation): boolean {
  return verdictsThatRun.has(verdict) && isWorking !== true;
}

export function formatExplanation(given: KeyExplanation, paint: Paint): string {
  const one = escapeForTerminal(given);
  const { key, source, record, claim } = one;
  const runs = willRun(one);
  const head = `${paint('bold', key)}  ${paint(runs ? 'green' : 'yellow', runs ? 'will run' : 'will not run')}`;
  const lines = [
    ...(source === null ? [] : [`source   ${formatSource(source)}`]),
    ...(record === null ? [] : [`record   ${formatRecord(record, source)}`]),
    ...(claim === null ? [] : [`claim    ${formatClaim(one)}`]),
  ];
  return [head, `  ${formatReason(one)}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Where a moved asset starts: at least its delivery is repeated, because the names change. */
const startAfterMove = {
  ...startPointPhrases,
  delivery: 'with the delivery, and nothing is rendered',
};

/** The verdict on the asset in one or two sentences. */
export function formatReason(one: KeyExplanation): string {
  const { verdict, source, begin, movedFrom, movedTo, record, claim, isWorking, refusal } = one;
  if (isWorking === true && verdictsThatRun.has(verdict)) {
    return `The run ${claim?.run} is processing it, so no other run takes it.`;
  }
  switch (verdict) {
    case 'new':
      return 'It has never been delivered.';
    case 'retry':
      return 'It has never been delivered, but a run has tried; results of that run are reused where possible.';
    case 'changed':
      return record && source && record.source.path !== source.path
        ? 'Another file was delivered under this key.'
        : 'The file has changed since it was delivered.';
    case 'recipe':
      if (movedFrom !== null) {
        return `It was moved from ${movedFrom}, and earlier results are reused: it begins ${startAfterMove[begin ?? 'source']}.`;
      }
      return `The file has not changed, but the pipeline has: it begins ${startPointPhrases[begin ?? 'source']}.`;
    case 'redeliver':
      return 'Nothing has changed, but delivered files are missing or different at the destination.';
    case 'age':
      return `Nothing has changed, but a result is older than \`redo\` allows: it begins ${agedStartPointPhrases[begin ?? 'source']}.`;
    case 'force':
    case 'unchanged':
      return 'Neither the file nor the pipeline has changed since the delivery.';
    case 'touched':
      return 'Its modification time has changed, its content has not; a run only records the new time.';
    case 'later':
      return 'It has changed a short time ago and may still be written; a run takes it once it no longer changes.';
    case 'refused':
      return refusal ? formatFailure(refusal) : '';
    case 'absent':
      if (movedTo !== null) {
        return `It was moved to ${movedTo}, where its earlier results are reused.`;
      }
      return record === null && claim === null
        ? `The source has no asset with this key, and ${locationOf(one.records)} has no record of it.`
        : 'The source no longer has an asset with this key: it was deleted, or is not selected.';
  }
}

function formatSource({ path, id, bytes, mtimeMs }: AssetSource): string {
  const size = bytes === 0 ? '' : `, ${formatCount(bytes, 'byte')}`;
  const modified = mtimeMs === 0 ? '' : `, of ${formatTime(new Date(mtimeMs).toISOString())}`;
  return `${path}${id === undefined ? '' : ` (${id})`}${size}${modified}`;
}

function formatRecord(record: AssetRecord, now: AssetSource | null): string {
  const { run, finishedAt, files, source, moved, withdrawn } = record;
  if (withdrawn) {
    const { at, archived, deleted } = withdrawn;
    return `withdrawn ${formatTime(at)} by ${withdrawn.run}: ${formatWithdrawn({ assets: 1, archived, deleted })}`;
  }
  const before = moved === undefined ? '' : `, moved from ${moved.key}`;
  const from = source.version === now?.version ? '' : `, from ${formatSource(source)}`;
  return `delivered ${formatTime(finishedAt)} by ${run}: ${formatCount(files.length, 'file')}${before}${from}`;
}

function formatClaim({ claim, isWorking }: KeyExplanation): string {
  if (claim === null) return '';
  const { run, state, at, failure } = claim;
  if (state !== 'working') {
    const why = failure ? `: ${formatFailure(failure)}` : '';
    return `${state} in ${run} at ${formatTime(at)}${why}`;
  }
  const end = isWorking ? 'the run is open' : 'the run has ended, so the asset is free';
  const status = isWorking === null ? 'whether the run is open is not known' : end;
  return `by ${run} since ${formatTime(at)}; ${status}`;
}

function formatTime(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}

function formatFailure(failure: { code: string; node?: string; message: string }): string {
  const { code, node, message, fix } = explainFailure(failure);
  const at = node ? ` at ${node}` : '';
  return [`${code}${at}: ${message}`, ...formatFix(fix, '')].join('\n    ');
}
