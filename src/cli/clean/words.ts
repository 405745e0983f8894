// Texts for people, before and after orphans are deleted.

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
  abandoned: 'its upload came to nothing, another was made',
  replaced: 'its asset has another one now',
  unused: 'its asset has none of its kind now',
  undelivered: 'its asset was never delivered, and no run works on it',
  removed: 'its colorway is in the table no more',
};

/** Things that would be deleted, the requests for it, and unused things that stay. */
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
        `Stays: model ${orphan.id} (${orphan.key}), which project ${projectId} has.`,
    ),
    ...(young === 0
      ? []
      : [
          `Not looked for: ${young.toLocaleString('en-US')} made within ${olderThan} that nothing uses; --older-than 0s takes those too.`,
        ]),
  ].join('\n');
}

/** Cells that are no longer made. Their things stay unless `--removed-colorways` is given. */
function removedLines(removed: Look['removed'], there: readonly Orphan[]): string[] {
  if (removed.length === 0) return [];
  const isTaken = there.some(({ reason }) => reason === 'removed');
  const shown = removed.slice(0, shownOfAKind);
  const rest = removed.length - shown.length;
  return [
    '',
    `${count(removed.length, 'cell')} that the table, or the list in the file, has no more: delivered once, made no more`,
    ...shown.map(({ key, projectId, files }) => {
      const made = projectId === null ? '' : `project ${projectId}, `;
      return `  ${key}  ${made}${count(files, 'delivered file')}`;
    }),
    ...(rest > 0 ? [`  and ${rest.toLocaleString('en-US')} more; --json lists all`] : []),
    isTaken
      ? 'Their records go with them: a row that comes back is made anew. Delivered files and variants stay.'
      : 'All of it stays; --removed-colorways deletes their projects and records. Delivered files and variants stay in any case.',
  ];
}

function headText({ there, young, olderThan, looked }: Look): string {
  const { made, runs } = looked;
  if (made === 0) return 'nothing to clean: its runs have made nothing on the platform';
  if (there.length > 0) {
    return `${count(there.length, 'orphan')} on the platform: made by its runs, used by nothing any more`;
  }
  const all = `of ${count(made, 'thing')} that ${count(runs, 'run')} made`;
  const users = usersText(looked.usedBy);
  return young > 0
    ? `nothing to clean: ${all}, what is there and older than ${olderThan} is in use${users}`
    : `nothing to clean: ${all}, what is left on the platform is in use${users}`;
}

/** Behind "in use". */
function usersText(usedBy: Look['looked']['usedBy']): string {
  if (usedBy.length === 0) return '';
  const shown = usedBy.slice(0, usersShown).map(({ user, things }) => `${things} by ${user}`);
  const more = usedBy.length > usersShown ? `; and others, which --json lists` : '';
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
      `    ${reasons[reason]}; made ${ageOf(madeAt, nowMs)} ago by ${run}`,
    ]),
    ...(rest > 0 ? [`  and ${rest.toLocaleString('en-US')} more; --json lists all`] : []),
  ];
}

function ageOf(madeAt: string, nowMs: number): string {
  const ms = Math.max(nowMs - Date.parse(madeAt), 0);
  return ms < 2 * dayMs ? spell(Math.round(ms / 1000)) : `${Math.floor(ms / dayMs)} days`;
}

/** Warnings about what is deleted with them (4.2, 4.3, 4.10). */
function warningLines(there: readonly Orphan[]): string[] {
  if (there.length === 0) return [];
  const has = (...some: Orphan['kind'][]) => there.some(({ kind }) => some.includes(kind));
  return [
    '',
    `Deleting takes ${count(there.length, 'request')}, and is for good.`,
    ...(has('project') ? ["A project's renders go with it."] : []),
    ...(has('prop', 'decal', 'material')
      ? [
          'A material goes from every surface and colorway that has it; which those are, and where props and decals stand, the platform does not tell.',
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

/** Kinds in order of their first thing, which is the order of deletion. */
function kindsOf(things: readonly Pick<Orphan, 'kind'>[]): string[] {
  return [...new Set(things.map(({ kind }) => kind))];
}
