// Texts for people on why an asset will run or not.

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
  /** Last delivery; null without one. */
  record: AssetRecord | null;
  claim: Claim | null;
  /** True where the run that claims it goes on; null where Temporal cannot be asked, or there is no claim. */
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

/** True where the next run takes it. */
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

/** The same of an asset that was moved, which is delivered under other names. */
const moveBegins = { ...beginWords, delivery: 'with the delivery, and nothing is rendered' };

/** One or two sentences. */
export function whyOf(one: Explained): string {
  const { verdict, source, begin, movedFrom, movedTo, record, claim, isWorking, refusal } = one;
  if (isWorking === true && taken.has(verdict)) {
    return `The run ${claim?.run} works on it, and no second one takes it.`;
  }
  switch (verdict) {
    case 'new':
      return 'Nothing has been delivered under its key.';
    case 'retry':
      return 'Nothing has been delivered under its key, but a run has tried; what it has made is used again where it can be.';
    case 'changed':
      return record && source && record.source.path !== source.path
        ? 'It is another file than the one that was delivered.'
        : 'It is not as it was when it was delivered.';
    case 'recipe':
      if (movedFrom !== null) {
        return `It was moved from ${movedFrom}, and goes on with what was made of it there: it begins ${moveBegins[begin ?? 'source']}.`;
      }
      return `It is as it was delivered, but the pipeline makes something else of it now: it begins ${beginWords[begin ?? 'source']}.`;
    case 'redeliver':
      return 'Nothing has changed, but what was delivered does not lie at the destination any more as it was.';
    case 'age':
      return `It is as it was delivered, but something of it is older than \`redo\` allows: it begins ${agedWords[begin ?? 'source']}.`;
    case 'force':
    case 'unchanged':
      return 'It is as it was delivered, and the pipeline makes the same of it.';
    case 'touched':
      return 'Its time has changed, its content has not; a run only notes the new time.';
    case 'later':
      return 'It changes still, or has changed a short time ago; a run takes it once it is steady.';
    case 'refused':
      return refusal ? told(refusal) : '';
    case 'absent':
      if (movedTo !== null) {
        return `It was moved to ${movedTo}, which goes on with what was made of it.`;
      }
      return record === null && claim === null
        ? `The root finds nothing of that name, and nothing is recorded in ${placeOf(one.records)}.`
        : 'The root finds nothing of that name any more: it is gone, or not selected.';
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
    return `left as ${state} by ${run} at ${momentOf(at)}${why}`;
  }
  const end = isWorking ? 'it goes on' : 'it has ended, so the asset is free';
  const said = isWorking === null ? 'whether it goes on is not known' : end;
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
