// Formats orphans for the terminal, before and after they are deleted.

import { formatResources, kindsOf } from '../../app/clean/format-resources.ts';
import type { CleanPreview, CleanShape } from '../../app/clean/preview-clean.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import { limitLines } from '../../plan/helpers/limit-lines.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import type { Orphan, OrphanReason } from '../../store/search/find-orphans.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxShownPerKind = 20;
const maxUsersShown = 8;
const dayMs = 86_400_000;

const reasons: Readonly<Record<OrphanReason, string>> = {
  abandoned: 'its upload was abandoned, and a replacement was created',
  replaced: 'its asset now uses a replacement',
  unused: 'its asset no longer uses a resource of this kind',
  undelivered: 'its asset was never delivered, and no run is processing it',
  removed: 'its colorway is no longer in the table',
};

/** Formats the resources that would be deleted, the number of requests, and unused resources that are kept. */
export function formatPreview(preview: CleanShape, nowMs: number, paint: Paint): string {
  const shape = escapeForTerminal(preview);
  const { pipeline, orphans, held, tooRecent, olderThan, removed } = shape;
  const head = `${paint('bold', pipeline)}  ${formatHeadline(shape)}`;
  return withoutFalse([
    head,
    ...kindsOf(orphans).flatMap((kind) => formatKind(kind, orphans, nowMs, paint)),
    ...formatWarnings(orphans),
    ...formatRemoved(removed, orphans),
    ...held.map(
      ({ id, key, projectId }) => `Kept: model ${id} (${key}), which project ${projectId} uses.`,
    ),
    tooRecent > 0 &&
      `Not checked: ${formatCount(tooRecent, 'unused resource')} created within ${olderThan}; --older-than 0s includes them.`,
  ]).join('\n');
}

/** Formats the cells that the pipeline no longer has. Only `--removed-colorways` deletes their resources. */
function formatRemoved(cells: CleanShape['removed'], orphans: readonly Orphan[]): string[] {
  if (cells.length === 0) return [];
  const isTaken = orphans.some(({ reason }) => reason === 'removed');
  return [
    '',
    `${formatCount(cells.length, 'cell')} delivered earlier, but no longer listed in the table or in the file`,
    ...limitLines(
      cells.map(({ key, projectId, files }) => {
        const project = projectId === null ? '' : `project ${projectId}, `;
        return `  ${key}  ${project}${formatCount(files, 'delivered file')}`;
      }),
      maxShownPerKind,
      formatRest,
    ),
    isTaken
      ? 'The records of these cells are deleted too, so a row that returns is rendered again. Delivered files and variants are kept.'
      : 'All of them are kept; --removed-colorways deletes their projects and records. Delivered files and variants are kept in any case.',
  ];
}

const formatRest = (rest: number) => `  and ${formatNumber(rest)} more; --json lists all`;

function formatHeadline({ orphans, tooRecent, olderThan, searched }: CleanShape): string {
  const { created, runs, usedBy } = searched;
  if (created === 0) return 'nothing to clean: its runs created nothing on the platform';
  if (orphans.length > 0) {
    return `${formatCount(orphans.length, 'orphan')} on the platform: created by its runs, no longer used`;
  }
  const scope = `of ${formatCount(created, 'resource')} that ${formatCount(runs, 'run')} created`;
  const users = formatUsers(usedBy);
  return tooRecent > 0
    ? `nothing to clean: ${scope}, all that exist and are older than ${olderThan} are in use${users}`
    : `nothing to clean: ${scope}, all that exist on the platform are in use${users}`;
}

/** Continues a sentence that ends with "in use" by saying what uses the resources. Empty if that is unknown. */
function formatUsers(usedBy: CleanShape['searched']['usedBy']): string {
  if (usedBy.length === 0) return '';
  const users = usedBy
    .slice(0, maxUsersShown)
    .map(({ user, resources }) => `${resources} by ${user}`);
  const hint = usedBy.length > maxUsersShown ? `; --json lists all` : '';
  return `: ${users.join('; ')}${hint}`;
}

function formatKind(
  kind: Orphan['kind'],
  orphans: readonly Orphan[],
  nowMs: number,
  paint: Paint,
): string[] {
  const ofKind = orphans.filter((orphan) => orphan.kind === kind);
  if (ofKind.length === 0) return [];
  const lines = ofKind.map(
    ({ id, key, run, createdAt, reason }) =>
      `  ${id}  ${key}\n    ${reasons[reason]}; created ${formatAge(createdAt, nowMs)} ago by ${run}`,
  );
  return [
    '',
    paint('bold', formatCount(ofKind.length, kind)),
    ...limitLines(lines, maxShownPerKind, formatRest),
  ];
}

function formatAge(createdAt: string, nowMs: number): string {
  const ms = Math.max(nowMs - Date.parse(createdAt), 0);
  return ms < 2 * dayMs ? formatSeconds(Math.round(ms / 1000)) : `${Math.floor(ms / dayMs)} days`;
}

function formatWarnings(orphans: readonly Orphan[]): string[] {
  if (orphans.length === 0) return [];
  const has = (...kinds: Orphan['kind'][]) => orphans.some(({ kind }) => kinds.includes(kind));
  return [
    '',
    `Deleting takes ${formatCount(orphans.length, 'request')} and cannot be undone.`,
    ...(has('project') ? ['Renders of a project are deleted with it.'] : []),
    ...(has('prop', 'decal', 'material')
      ? [
          'A material is removed from every surface and colorway that uses it. The platform does not say which ones, nor where props and decals are used.',
        ]
      : []),
  ];
}

/** Formats the question before the deletion, with the numbers of resources and records but without their names. */
export function formatQuestion({ shape, removedRecords }: CleanPreview): string {
  const records = removedRecords > 0 ? ` and ${formatCount(removedRecords, 'record')}` : '';
  return `Delete ${formatResources(shape.orphans)}${records}?`;
}

export function formatDeletion(shape: CleanShape): string {
  const { deleted, usedSince, refused } = escapeForTerminal(shape);
  return [
    `Deleted: ${formatResources(deleted)}.`,
    ...usedSince.map(({ kind, id }) => `Kept: ${kind} ${id}, which is now in use again.`),
    ...refused.map(({ kind, id, message }) => `Refused: ${kind} ${id}: ${message}`),
  ].join('\n');
}
