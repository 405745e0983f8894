// Formats the result of `find`: the runs and assets that an id of the platform belongs to.

import type { FindShape } from '../../app/find/find-runs.ts';
import type { MatchedAsset } from '../../app/find/search-records.ts';
import type { FoundRun, FoundRunAsset } from '../../app/find/temporal-lookup.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxAssetsShown = 20;

/** By kind of resource: the operation that reads a resource by its id, and the operation's parameter for the id. */
const readOperations: Readonly<Record<string, readonly [string, string]>> = {
  model: ['getModel', 'modelId'],
  project: ['getProject', 'projectId'],
  'render-job': ['getRenderJob', 'jobId'],
  'render-batch': ['getRenderBatch', 'batchId'],
  render: ['downloadRender', 'renderId'],
  job: ['getJob', 'jobId'],
  'production-export': ['getProductionFileExport', 'exportId'],
  'colorway-batch': ['getColorwayBatch', 'batchId'],
  prop: ['getProp', 'propId'],
  decal: ['getDecal', 'decalId'],
  material: ['getMaterial', 'materialId'],
};

/** Command that shows the resource on the platform; null if no operation reads this kind by id. */
function readCommand(kind: string | null, id: string): string | null {
  const [operation, name] = (kind === null ? undefined : readOperations[kind]) ?? [];
  return operation === undefined ? null : `renderline api ${operation} --params ${name}=${id}`;
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

function formatRun(one: FoundRun, paint: Paint): string[] {
  const { run, state, temporalUi, assets } = one;
  const shown = assets.slice(0, maxAssetsShown);
  const rest = one.count - shown.length;
  const shards = groupBy(shown, ({ shard }) => String(shard));
  return [
    `${paint('bold', run)}  ${formatState(state)}`,
    ...(temporalUi === null ? [] : [`  ${temporalUi}`]),
    ...(one.count === 0
      ? ['  the model of a failed asset; the records of the run could not be read']
      : []),
    ...[...shards.values()].flatMap((group) => [
      `  ${paint('dim', `shard ${(group[0]?.shard ?? 0) + 1}  ${group[0]?.shardUi ?? ''}`.trimEnd())}`,
      ...group.flatMap((asset) => formatAsset(asset, one)),
    ]),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

function formatState(state: string | null): string {
  if (state === null) return 'state not known';
  return state === 'gone' ? 'no longer in Temporal' : state;
}

function formatAsset(asset: FoundRunAsset, { run, state }: FoundRun): string[] {
  const { key, outcome, failure } = asset;
  const open = state === 'running' || state === 'paused' ? 'in progress' : 'unfinished';
  const end = failure === null ? (outcome ?? open) : `${failure.code} at ${failure.node}`;
  return [`  ${key}  ${end}`, `    ${formatOrigin(asset)}; ${formatKeyStatus(asset, run)}`];
}

function formatOrigin({ kind, via, node, operation }: MatchedAsset): string {
  const at = node === null ? '' : ` at ${node}`;
  const by = operation === null ? '' : ` (${operation})`;
  switch (via) {
    case 'created':
      return `created${at}${by}`;
    case 'listed':
      return `found on the platform${at}${by}`;
    case 'sent':
      return `sent in a request${at}${by}`;
    case 'received':
      return node === null ? `its ${formatKind(kind)}, from an earlier run` : `received${at}`;
  }
}

function formatKeyStatus({ kind, record, claim }: MatchedAsset, run: string): string {
  const by = (other: string) => (other === run ? '' : ` by ${other}`);
  if (claim !== null) {
    return claim.state === 'working'
      ? `claimed by ${claim.run}`
      : `${claim.state}${claim.run === run ? '' : ` in ${claim.run}`}`;
  }
  if (record === null) return 'never delivered';
  const when = formatTimestamp(record.finishedAt);
  const other = record.replaced ? `, with another ${formatKind(kind)}` : '';
  const from = record.movedFrom === null ? '' : `, moved from ${record.movedFrom}`;
  return `delivered ${when}${by(record.run)}: ${formatCount(record.files, 'file')}${from}${other}`;
}

function formatKind(kind: string | null): string {
  return (kind ?? 'object').replaceAll('-', ' ');
}
