// Formats the result of `find`: the runs and assets that a platform id belongs to.

import { findReadOperation } from '../../api/resources.ts';
import type { FindShape } from '../../app/find/find-runs.ts';
import type { MatchedAsset } from '../../app/find/search-records.ts';
import type { FoundRun, FoundRunAsset } from '../../app/find/temporal-lookup.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { pathFieldsOf } from '../api/operation-fields.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxAssetsShown = 20;

/** Returns the command that shows the resource on the platform, or null if no operation reads this kind by id. */
function readCommand(kind: string | null, id: string): string | null {
  const row = kind === null ? null : findReadOperation(kind);
  if (row === null) return null;
  const [name] = pathFieldsOf(row).required ?? [];
  return `renderline api ${row.id} --params ${name}=${id}`;
}

export function formatMatches(
  { id, kind, found }: Pick<FindShape, 'id' | 'kind' | 'found'>,
  paint: Paint,
): string {
  const command = readCommand(kind, id);
  return [
    `${paint('bold', escapeForTerminal(id))}  ${formatKind(kind)}`,
    ...escapeForTerminal(found).flatMap((run) => ['', ...formatRun(run, paint)]),
    ...(command === null ? [] : ['', `On the platform: ${escapeForTerminal(command)}`]),
  ].join('\n');
}

function formatRun(entry: FoundRun, paint: Paint): string[] {
  const { run, state, temporalUi, assets } = entry;
  const shownAssets = assets.slice(0, maxAssetsShown);
  const excess = entry.count - shownAssets.length;
  const shards = groupBy(shownAssets, ({ shard }) => String(shard));
  return withoutFalse([
    `${paint('bold', run)}  ${formatState(state)}`,
    temporalUi !== null && `  ${temporalUi}`,
    entry.count === 0 && '  the model of a failed asset; the records of the run could not be read',
    ...[...shards.values()].flatMap((group) => [
      `  ${paint('dim', `shard ${(group[0]?.shard ?? 0) + 1}  ${group[0]?.shardUi ?? ''}`.trimEnd())}`,
      ...group.flatMap((asset) => formatAsset(asset, entry)),
    ]),
    excess > 0 && `  and ${excess} more`,
  ]);
}

function formatState(state: string | null): string {
  if (state === null) return 'state unknown';
  return state === 'gone' ? 'no longer in Temporal' : state;
}

function formatAsset(asset: FoundRunAsset, { run, state }: FoundRun): string[] {
  const { key, outcome, failure } = asset;
  const status = state === 'running' || state === 'paused' ? 'in progress' : 'unfinished';
  const end = failure === null ? (outcome ?? status) : `${failure.code} at ${failure.node}`;
  return [`  ${key}  ${end}`, `    ${formatOrigin(asset)}; ${formatKeyStatus(asset, run)}`];
}

function formatOrigin({ kind, via, node, operation }: MatchedAsset): string {
  const location = node === null ? '' : ` at ${node}`;
  const detail = operation === null ? '' : ` (${operation})`;
  switch (via) {
    case 'created':
      return `created${location}${detail}`;
    case 'listed':
      return `found on the platform${location}${detail}`;
    case 'sent':
      return `sent in a request${location}${detail}`;
    case 'received':
      return node === null ? `its ${formatKind(kind)}, from an earlier run` : `received${location}`;
  }
}

function formatKeyStatus({ kind, record, claim }: MatchedAsset, run: string): string {
  const runNote = (other: string) => (other === run ? '' : ` by ${other}`);
  if (claim !== null) {
    return claim.state === 'working'
      ? `claimed by ${claim.run}`
      : `${claim.state}${claim.run === run ? '' : ` in ${claim.run}`}`;
  }
  if (record === null) return 'never delivered';
  const time = formatTimestamp(record.finishedAt);
  const changeNote = record.replaced ? `, with another ${formatKind(kind)}` : '';
  const moveNote = record.movedFrom === null ? '' : `, moved from ${record.movedFrom}`;
  return `delivered ${time}${runNote(record.run)}: ${formatCount(record.files, 'file')}${moveNote}${changeNote}`;
}

function formatKind(kind: string | null): string {
  return (kind ?? 'object').replaceAll('-', ' ');
}
