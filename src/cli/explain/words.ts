// Formats why the next run takes an asset or not.
import { inWords } from '../../capabilities/failures.ts';
import { agedWords, beginWords } from '../../plan/begins.ts';
import { count } from '../../plan/count.ts';
import { placeOf } from '../../plan/place.ts';
import type { AssetSource, ConnectorSpec } from '../../plan/types.ts';
import { withdrawnWords } from '../../plan/withdrawal.ts';
import type { Claim } from '../../store/claims/claims.ts';
import type { KeyVerdict, Verdict } from '../../store/discovery/explain-key.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { Paint } from '../color.ts';
import { fixLines } from '../runs/failure-words.ts';
import { spelledOut } from '../screen-text.ts';

/** All facts about one key. */
export interface Explained extends KeyVerdict {
  /** Record of the last delivery; null if there is none. */
  record: AssetRecord | null;
  claim: Claim | null;
  /** Whether the claiming run is open; null if there is no claim, or Temporal cannot be reached. */
  isWorking: boolean | null;
  recipe: string;
  records: ConnectorSpec;
}

const taken: ReadonlySet<Verdict> = new Set([
  'new',
  'retry',
  'changed',
  'recipe',
  'redeliver',
  'age',
]);

/** Whether the next run takes the asset. */
export function willRun({ verdict, isWorking }: Explained): boolean {
  return taken.has(verdict) && isWorking !== true;
}

export function explainedText(given: Explained, paint: Paint): string {
  const one = spelledOut(given);
  const { key, source, record, claim } = one;
  const runs = willRun(one);
  const head = `${paint('bold', key)}  ${paint(runs ? 'green' : 'yellow', runs ? 'will run' : 'will not run')}`;
  const lines = [
    ...(source === null ? [] : [`source   ${sourceLine(source)}`]),
    ...(record === null ? [] : [`record   ${recordLine(record, source)}`]),
    ...(claim === null ? [] : [`claim    ${claimLine(one)}`]),
  ];
  return [head, `  ${whyOf(one)}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Where a moved asset starts: at least its delivery is repeated, because the names change. */
const moveBegins = { ...beginWords, delivery: 'with the delivery, and nothing is rendered' };

/** The verdict on the asset in one or two sentences. */
export function whyOf(one: Explained): string {
  const { verdict, source, begin, movedFrom, movedTo, record, claim, isWorking, refusal } = one;
  if (isWorking === true && taken.has(verdict)) {
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
        return `It was moved from ${movedFrom}, and earlier results are reused: it begins ${moveBegins[begin ?? 'source']}.`;
      }
      return `The file has not changed, but the pipeline has: it begins ${beginWords[begin ?? 'source']}.`;
    case 'redeliver':
      return 'Nothing has changed, but delivered files are missing or different at the destination.';
    case 'age':
      return `Nothing has changed, but a result is older than \`redo\` allows: it begins ${agedWords[begin ?? 'source']}.`;
    case 'force':
    case 'unchanged':
      return 'Neither the file nor the pipeline has changed since the delivery.';
    case 'touched':
      return 'Its modification time has changed, its content has not; a run only records the new time.';
    case 'later':
      return 'It has changed a short time ago and may still be written; a run takes it once it no longer changes.';
    case 'refused':
      return refusal ? told(refusal) : '';
    case 'absent':
      if (movedTo !== null) {
        return `It was moved to ${movedTo}, where its earlier results are reused.`;
      }
      return record === null && claim === null
        ? `The source has no asset with this key, and ${placeOf(one.records)} has no record of it.`
        : 'The source no longer has an asset with this key: it was deleted, or is not selected.';
  }
}

function sourceLine({ path, id, bytes, mtimeMs }: AssetSource): string {
  const size = bytes === 0 ? '' : `, ${count(bytes, 'byte')}`;
  const time = mtimeMs === 0 ? '' : `, of ${momentOf(new Date(mtimeMs).toISOString())}`;
  return `${path}${id === undefined ? '' : ` (${id})`}${size}${time}`;
}

function recordLine(record: AssetRecord, now: AssetSource | null): string {
  const { run, finishedAt, files, source, moved, withdrawn } = record;
  if (withdrawn) {
    const { at, archived, deleted } = withdrawn;
    return `withdrawn ${momentOf(at)} by ${withdrawn.run}: ${withdrawnWords({ assets: 1, archived, deleted })}`;
  }
  const before = moved === undefined ? '' : `, moved from ${moved.key}`;
  const from = source.version === now?.version ? '' : `, from ${sourceLine(source)}`;
  return `delivered ${momentOf(finishedAt)} by ${run}: ${count(files.length, 'file')}${before}${from}`;
}

function claimLine({ claim, isWorking }: Explained): string {
  if (claim === null) return '';
  const { run, state, at, failure } = claim;
  if (state !== 'working') {
    const why = failure ? `: ${told(failure)}` : '';
    return `${state} in ${run} at ${momentOf(at)}${why}`;
  }
  const end = isWorking ? 'the run is open' : 'the run has ended, so the asset is free';
  const said = isWorking === null ? 'whether the run is open is not known' : end;
  return `by ${run} since ${momentOf(at)}; ${said}`;
}

function momentOf(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}

function told(failure: { code: string; node?: string; message: string }): string {
  const { code, node, message, fix } = inWords(failure);
  const at = node ? ` at ${node}` : '';
  return [`${code}${at}: ${message}`, ...fixLines(fix, '')].join('\n    ');
}
