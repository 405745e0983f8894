// Formats orphans for the terminal, before and after they are deleted.
import { count } from '../../plan/count.ts';
import type { Orphan, OrphanReason } from '../../store/search/find-orphans.ts';
import type { Paint } from '../color.ts';
import { spell } from '../runs/run-summary.ts';
import { spelledOut } from '../screen-text.ts';
import type { Look } from './look.ts';

const shownOfAKind = 20;
const usersShown = 8;
const dayMs = 86_400_000;

const reasons: Readonly<Record<OrphanReason, string>> = {
  abandoned: 'its upload was abandoned, and another one was created',
  replaced: 'its asset uses another one now',
  unused: 'its asset uses none of this kind any more',
  undelivered: 'its asset was never delivered, and no run is processing it',
  removed: 'its colorway is no longer in the table',
};

/** Resources that would be deleted, the number of requests, and unused resources that are kept. */
export function previewText(found: Look, nowMs: number, paint: Paint): string {
  const look = spelledOut(found);
  const { pipeline, there, held, young, olderThan, removed } = look;
  const head = `${paint('bold', pipeline)}  ${headText(look)}`;
  return [
    head,
    ...kindsOf(there).flatMap((kind) => kindLines(kind, there, nowMs, paint)),
    ...warningLines(there),
    ...removedLines(removed, there),
    ...held.map(
      ({ orphan, projectId }) =>
        `Kept: model ${orphan.id} (${orphan.key}), which project ${projectId} uses.`,
    ),
    ...(young === 0
      ? []
      : [
          `Not checked: ${young.toLocaleString('en-US')} unused, created within ${olderThan}; --older-than 0s includes them.`,
        ]),
  ].join('\n');
}

/** Cells that the pipeline no longer has. Their resources are kept unless `--removed-colorways` is given. */
function removedLines(removed: Look['removed'], there: readonly Orphan[]): string[] {
  if (removed.length === 0) return [];
  const isTaken = there.some(({ reason }) => reason === 'removed');
  const shown = removed.slice(0, shownOfAKind);
  const rest = removed.length - shown.length;
  return [
    '',
    `${count(removed.length, 'cell')} delivered before, but no longer in the table or in the file's list`,
    ...shown.map(({ key, projectId, files }) => {
      const made = projectId === null ? '' : `project ${projectId}, `;
      return `  ${key}  ${made}${count(files, 'delivered file')}`;
    }),
    ...(rest > 0 ? [`  and ${rest.toLocaleString('en-US')} more; --json lists all`] : []),
    isTaken
      ? 'Their records are deleted too: a row that returns is rendered again. Delivered files and variants are kept.'
      : 'All are kept; --removed-colorways deletes their projects and records. Delivered files and variants are kept in any case.',
  ];
}

function headText({ there, young, olderThan, looked }: Look): string {
  const { made, runs } = looked;
  if (made === 0) return 'nothing to clean: its runs created nothing on the platform';
  if (there.length > 0) {
    return `${count(there.length, 'orphan')} on the platform: created by its runs, no longer used`;
  }
  const all = `of ${count(made, 'resource')} that ${count(runs, 'run')} created`;
  const users = usersText(looked.usedBy);
  return young > 0
    ? `nothing to clean: ${all}, all that exist and are older than ${olderThan} are in use${users}`
    : `nothing to clean: ${all}, all that exist on the platform are in use${users}`;
}

/** Continues "in use" with the users. */
function usersText(usedBy: Look['looked']['usedBy']): string {
  if (usedBy.length === 0) return '';
  const shown = usedBy.slice(0, usersShown).map(({ user, things }) => `${things} by ${user}`);
  const more = usedBy.length > usersShown ? `; --json lists all` : '';
  return `: ${shown.join('; ')}${more}`;
}

function kindLines(
  kind: Orphan['kind'],
  there: readonly Orphan[],
  nowMs: number,
  paint: Paint,
): string[] {
  const mine = there.filter((orphan) => orphan.kind === kind);
  if (mine.length === 0) return [];
  const shown = mine.slice(0, shownOfAKind);
  const rest = mine.length - shown.length;
  return [
    '',
    paint('bold', count(mine.length, kind)),
    ...shown.flatMap(({ id, key, run, madeAt, reason }) => [
      `  ${id}  ${key}`,
      `    ${reasons[reason]}; created ${ageOf(madeAt, nowMs)} ago by ${run}`,
    ]),
    ...(rest > 0 ? [`  and ${rest.toLocaleString('en-US')} more; --json lists all`] : []),
  ];
}

function ageOf(madeAt: string, nowMs: number): string {
  const ms = Math.max(nowMs - Date.parse(madeAt), 0);
  return ms < 2 * dayMs ? spell(Math.round(ms / 1000)) : `${Math.floor(ms / dayMs)} days`;
}

/** Warnings about what the platform deletes together with the orphans. */
function warningLines(there: readonly Orphan[]): string[] {
  if (there.length === 0) return [];
  const has = (...some: Orphan['kind'][]) => there.some(({ kind }) => some.includes(kind));
  return [
    '',
    `Deleting takes ${count(there.length, 'request')} and cannot be undone.`,
    ...(has('project') ? ['Renders of a project are deleted with it.'] : []),
    ...(has('prop', 'decal', 'material')
      ? [
          'A material is removed from every surface and colorway that uses it. The platform does not tell which ones, nor where props and decals are used.',
        ]
      : []),
  ];
}

/** `12 models and 3 projects`. */
export function tally(things: readonly Pick<Orphan, 'kind'>[]): string {
  const parts = kindsOf(things).map((kind) =>
    count(things.filter((thing) => thing.kind === kind).length, kind),
  );
  const last = parts.pop() ?? 'nothing';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** Kinds in the order of their first resource, which is the order of deletion. */
function kindsOf(things: readonly Pick<Orphan, 'kind'>[]): string[] {
  return [...new Set(things.map(({ kind }) => kind))];
}
