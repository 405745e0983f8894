// Formats a plan: its steps, its assets, its cost and its settings.

import { truncate } from '../../api/responses/plain-text.ts';
import { formatDeletes, formatWithdrawal } from '../../app/plan/format-deletions.ts';
import type { CellState, GridReport } from '../../app/plan/grid-report.ts';
import type { MovesSummary } from '../../app/plan/moved-report.ts';
import type { PlanResult, PlanShape, RecordsStatus } from '../../app/plan/plan-pipeline.ts';
import { formatQuotaStatus } from '../../app/plan/quota-status.ts';
import type { RedeliveryCheck } from '../../app/plan/redelivery-check.ts';
import { formatDuration } from '../../language/duration.ts';
import { countToProcess } from '../../plan/contract/sharding.ts';
import { formatCount, formatNumber, formatRange } from '../../plan/helpers/format-count.ts';
import { formatRenders } from '../../plan/helpers/format-renders.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import { limitLines } from '../../plan/helpers/limit-lines.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { otherDestinationsOf } from '../../plan/run/deliveries.ts';
import { locationOf } from '../../plan/run/location.ts';
import { formatStartPoints } from '../../plan/run/start-points.ts';
import type { Plan, Step } from '../../plan/types.ts';
import { formatRemovedCells } from '../../store/discovery/grid/removed-cells.ts';
import { formatFiles, removeTiles } from '../../store/discovery/grouping-warnings.ts';
import type { Grouping } from '../../store/discovery/listed-source.ts';
import type { MovedReport } from '../../store/discovery/moves/apply-moves.ts';
import {
  formatCopies,
  formatMoveHint,
  formatMoves,
} from '../../store/discovery/moves/format-moves.ts';
import type { PlanDifference } from '../../store/runs/last-run.ts';
import type { Paint } from '../color.ts';
import { formatVerified } from '../runs/run-summary.ts';
import { escapeForTerminal } from '../terminal-text.ts';

/** @param doctorCommand command line that tests the plan's records store */
export function formatPlan(
  { plan: unescapedPlan, shape, unit }: PlanResult,
  doctorCommand: string,
  paint: Paint,
): string {
  const plan = escapeForTerminal(unescapedPlan);
  const preview = escapeForTerminal(shape);
  const { assets, requests, windows, deletes, seconds, quota, grouping, grid } = preview;
  const width = Math.max(0, ...plan.steps.map(({ id }) => id.length));
  const operations = Object.entries(requests.byOperation).map(
    ([operation, number]) => `  ${formatNumber(number).padStart(8)}  ${operation}`,
  );
  const rateLimitText =
    windows === null
      ? 'rate limit unknown: set RENDERLINE_RATE_LIMIT'
      : `${formatCount(windows, 'window')} of 60 s`;
  return withoutFalse([
    `${paint('bold', plan.pipeline)}  ${paint('dim', `plan ${plan.hash}`)}`,
    '',
    ...plan.steps.map(
      (step) =>
        `  ${step.id.padEnd(width)}  ${formatStep(step, plan.steps)}${formatReach(step, preview)}`,
    ),
    ...(plan.route.length === 0 ? [] : ['', ...plan.route.map((line) => `  ${line}`)]),
    '',
    `assets    ${formatCount(assets.total, unit)}: ${formatAssets(assets)}`,
    ...formatStartPoints(preview.startPoints, unit).map((line) => `repeated  ${line}`),
    ...formatMoved(preview.moved, unit),
    ...(preview.redelivery?.missing ? [`          ${formatRedelivery(preview.redelivery)}`] : []),
    ...(assets.verified ? [`verified  ${formatVerified(assets.verified)}`] : []),
    ...(grouping === null ? [] : formatGrouping(grouping)),
    ...(grid === null ? [] : formatGrid(grid)),
    `renders   ${formatRenders(preview, 'job')}`,
    preview.modelFiles !== undefined &&
      `models    ${formatCount(preview.modelFiles, 'file')}, ${requests.byOperation['downloadModel'] ?? 0} to download`,
    preview.files.total > 0 &&
      `files     ${preview.files.min ? 'at least ' : ''}${formatCount(preview.files.total, 'file')}`,
    ...(preview.withdraws
      ? formatWithdrawal(preview.withdraws, unit === 'file' ? 'model' : unit).map(
          (line) => `withdraws ${line}`,
        )
      : []),
    deletes > 0 && `deletes   ${formatDeletes(deletes)}`,
    `requests  about ${formatRange(requests.total, requests.max)} (${rateLimitText})`,
    ...operations,
    `time      about ${formatSeconds(seconds)}`,
    ...formatStopSettings(plan, countToProcess(assets)),
    ...formatLastRun(preview.sinceLastRun),
    `records   ${formatRecords(preview.records, escapeForTerminal(doctorCommand))}`,
    plan.destination !== null &&
      `delivers  to ${[plan.destination, ...otherDestinationsOf(plan)].map(locationOf).join(', ')}`,
    ...formatQuota(quota),
    ...(preview.renderQuota
      ? [`monthly   ${formatQuotaStatus(preview.renderQuota, preview.max)}`]
      : []),
  ]).join('\n');
}

function formatAssets(assets: PlanShape['assets']): string {
  const { refused, later } = assets;
  return withoutFalse([
    `${formatNumber(assets.new)} new`,
    `${formatNumber(assets.changed)} changed`,
    `${formatNumber(assets.unchanged)} unchanged`,
    refused > 0 && `${formatNumber(refused)} refused`,
    later > 0 && `${formatNumber(later)} still being written`,
  ]).join(', ');
}

/** Formats a step, for example `call  up to 250 at once  after ready, continues with shots`. */
function formatStep({ id, mode, batch, parents, chain }: Step, steps: readonly Step[]): string {
  const isFirst = !steps.some((other) => other.chain?.includes(id));
  const order = withoutFalse([
    parents.length > 0 && `after ${parents.join(', ')}`,
    chain !== undefined && isFirst && `continues with ${chain.join(', ')}`,
  ]);
  return `${mode.padEnd(4)}  up to ${String(batch).padStart(3)} at once  ${order.join(', ')}`.trimEnd();
}

/** Formats the number of assets that reach a step, if a `when:` skips some or may skip some. */
function formatReach({ id }: Step, { steps, assets }: PlanShape): string {
  const { assets: count = 0, undecided = 0 } = steps.find((step) => step.id === id) ?? {};
  const total = countToProcess(assets);
  if (count === total && undecided === 0) return '';
  return `  for ${undecided > 0 ? 'at most ' : ''}${formatNumber(count)} of ${formatCount(total, 'asset')}`;
}

function formatStopSettings({ tolerate, canary }: Plan, toDo: number): string[] {
  const lines: string[] = [];
  if (canary) {
    const firstAssets = formatCount(canary.assets, 'asset');
    const approvalText = `then approval within ${formatDuration(canary.timeoutMs)}`;
    lines.push(
      `canary    ${toDo > canary.assets ? `the first ${firstAssets}, ${approvalText}` : `no approval needed: the canary covers all assets`}`,
    );
  }
  if (tolerate) {
    const { failures, of, onBreach } = tolerate;
    const max = of === 'percent' ? `${failures}% of the assets` : formatCount(failures, 'asset');
    lines.push(`tolerates up to ${max} failing, then ${onBreach === 'stop' ? 'stops' : 'pauses'}`);
  }
  return lines;
}

function formatLastRun(difference: PlanDifference | null): string[] {
  if (difference === null) return ['last run  none yet'];
  const { run, startedAt, recipeChanged, parameters } = difference;
  const changes = Object.entries(parameters).map(
    ([name, { was, is }]) => `          ${name}: ${JSON.stringify(was)} -> ${JSON.stringify(is)}`,
  );
  const recipe = recipeChanged ? ['          how assets are processed'] : [];
  const isSame = changes.length + recipe.length === 0;
  return [
    `last run  ${run} at ${startedAt}${isSame ? ': the same settings' : '; changed since that run:'}`,
    ...recipe,
    ...changes,
  ];
}

function formatRecords({ place, proved }: RecordsStatus, doctorCommand: string): string {
  if (proved) return `in ${place}, tested`;
  return `in ${place}, not tested yet: the first run tests it before paid work, as does ${doctorCommand}`;
}

function formatQuota(quota: PlanShape['quota']): string[] {
  if (quota === null) return [];
  const usageOf = ({ used, limit }: NonNullable<PlanShape['quota']>['models']) =>
    `${used} of ${limit ?? 'unlimited'}`;
  return [
    `quota     ${quota.tier}: models ${usageOf(quota.models)}, projects ${usageOf(quota.projects)}`,
  ];
}

const maxColumnsShown = 8;
const maxNameLength = 24;

const stateLabels: Record<CellState, string> = {
  refused: 'refused',
  new: 'new',
  changed: 'again',
  done: '·',
  later: '…',
};

/** Formats a table with the first models as rows and the first positions of the first dimension as columns. */
export function formatGrid(grid: GridReport): string[] {
  const { models, dimensions, cells, toDo, rows, removed } = grid;
  const { name = '', positions = [] } = dimensions[0] ?? {};
  const columns = positions.slice(0, maxColumnsShown);
  const headers = ['', ...columns.map((column) => truncate(column, maxNameLength))];
  const lines = rows.map(({ model, cells: states }) => [
    truncate(model, maxNameLength),
    ...columns.map((column) => (states[column] === undefined ? '' : stateLabels[states[column]])),
  ]);
  const widths = headers.map((head, index) =>
    Math.max(head.length, ...lines.map((line) => line[index]?.length ?? 0)),
  );
  const formatRow = (line: readonly string[]) =>
    `  ${line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd();
  const sizes = [
    formatCount(models, 'model'),
    ...dimensions.map((dimension) => formatCount(dimension.positions.length, dimension.name)),
  ].join(' × ');
  const excess = withoutFalse([
    models > rows.length && formatCount(models - rows.length, 'more model'),
    positions.length > columns.length &&
      formatCount(positions.length - columns.length, `more ${name}`),
  ]);
  const states = new Set(rows.flatMap((row) => columns.map((column) => row.cells[column])));
  const legend = withoutFalse([
    states.has('done') && `${stateLabels.done} done`,
    states.has('later') && `${stateLabels.later} still being written`,
  ]);
  return withoutFalse([
    `grid      ${sizes}: ${formatCount(cells, 'cell')}, ${toDo} to do`,
    formatRow(headers),
    ...lines.map(formatRow),
    legend.length > 0 && `  (${legend.join(', ')})`,
    excess.length > 0 && `  and ${excess.join(' and ')}`,
    removed.length > 0 && `  ${formatRemovedCells(removed)}`,
  ]);
}

const maxMaterialsShown = 20;

/** Formats the first entries of each group. */
export function formatGrouping({ props, decals, textures, tiles }: Grouping): string[] {
  const { materials, packed, ignored, skipped } = textures;
  const { unmatched, duplicates } = removeTiles(textures, tiles);
  const { taken, ignored: ignoredTiles } = tiles ?? { taken: [], ignored: [] };
  const width = Math.max(
    0,
    ...materials.slice(0, maxMaterialsShown).map(({ name }) => name.length),
  );
  const lists = [
    ['packed', packed, 'several maps in one picture; export each map as a separate picture'],
    ['unmatched', unmatched, 'no channel in the name; `unmatchedAsDiffuse` includes them'],
    ['duplicate', duplicates, 'the material already has this channel'],
    ['ignored', ignored, 'materials do not use these maps'],
    ['skipped', skipped, 'not pictures'],
  ] as const;
  return [
    `library   ${formatCount(materials.length, 'material')}, ${formatCount(decals, 'decal')}, ${formatCount(props, 'prop')}`,
    ...limitLines(
      materials.map(({ name, textures: files }) => `  ${name.padEnd(width)}  ${channelsOf(files)}`),
      maxMaterialsShown,
      (count) => `  and ${count} more; --json lists all`,
    ),
    ...(taken.length + ignoredTiles.length > 0
      ? [
          `tiles     ${ignoredTiles.length} left out (UDIM tiles are not supported): ${formatFiles(ignoredTiles)}`,
          `          used: ${formatFiles(taken)}`,
        ]
      : []),
    ...lists.flatMap(([label, files, reason]) =>
      files.length === 0
        ? []
        : [`${label.padEnd(9)} ${files.length} (${reason}): ${formatFiles(files)}`],
    ),
  ];
}

function channelsOf(files: Grouping['textures']['materials'][number]['textures']): string {
  const channels = Object.entries(files).map(([channel, path]) => `${channel} ${path}`);
  return channels.sort().join(', ');
}

function formatMoved(moves: MovesSummary | null, unit: string): string[] {
  if (moves === null) return [];
  const { assets, free, first, copies, read, isTaken } = moves;
  const report: MovedReport = { ...moves, moved: first, copies };
  const paid = free === assets ? 'at no cost' : `${free} of them at no cost`;
  const hint = formatMoveHint(report);
  const copyNote = formatCopies(report);
  const comparison = `${formatCount(read.files, unit)} compared by content: ${formatCount(read.bytes, 'byte')} to be read`;
  return withoutFalse([
    isTaken &&
      assets > 0 &&
      `moved     ${formatCount(assets, unit)}: ${formatMoves(first)}, ${paid}`,
    hint !== null && `moved     ${hint}`,
    copyNote !== null && `copies    ${copyNote}`,
    isTaken && read.files > 0 && `          ${comparison}`,
  ]);
}

function formatRedelivery(check: RedeliveryCheck): string {
  const { assets, inspected, missing, askedPlatform, lost: lostCount } = check;
  const share =
    inspected < assets ? `${missing} of the first ${inspected}` : `${missing} of ${assets}`;
  const remedies = withoutFalse([
    (lostCount < askedPlatform || askedPlatform === 0) &&
      'the files are downloaded from the platform again',
    lostCount > 0 &&
      `${lostCount} of ${askedPlatform} ${lostCount === 1 ? 'is' : 'are'} not on the platform either and must be rendered again: allow it with \`run --rerender-lost\` or with \`limits: { renders }\` in the file`,
  ]);
  return `${share} ${missing === 1 ? 'has' : 'have'} files missing at the destination: ${remedies.join('; ')}`;
}
