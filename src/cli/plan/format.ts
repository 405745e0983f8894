// Formats a plan: its steps, its assets, its cost and its settings.

import { formatDeletes, formatWithdrawal } from '../../app/plan/format-deletions.ts';
import type { PlanResult, PlanShape } from '../../app/plan/plan-pipeline.ts';
import { formatQuotaStatus } from '../../app/plan/quota-status.ts';
import type { RecordsStatus } from '../../app/plan/records-status.ts';
import { formatDuration } from '../../language/duration.ts';
import { assetsToProcess } from '../../plan/contract/sharding.ts';
import { formatCount, formatRange, formatUpperBound } from '../../plan/helpers/format-count.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import { otherDestinations } from '../../plan/run/deliveries.ts';
import { locationOf } from '../../plan/run/location.ts';
import { formatStartPoints } from '../../plan/run/start-points.ts';
import type { Plan, Step } from '../../plan/types.ts';
import type { PlanDifference } from '../../store/runs/last-run.ts';
import type { Paint } from '../color.ts';
import { formatVerified } from '../runs/run-summary.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { formatGrid } from './format-grid.ts';
import { formatGrouping } from './format-grouping.ts';
import { formatMoved, formatRedelivery } from './format-moved.ts';

export function formatPlan({ plan: unescapedPlan, shape, unit }: PlanResult, paint: Paint): string {
  const plan = escapeForTerminal(unescapedPlan);
  const preview = escapeForTerminal(shape);
  const { assets, requests, windows, deletes, seconds, quota, grouping, grid } = preview;
  const width = Math.max(0, ...plan.steps.map(({ id }) => id.length));
  const operations = Object.entries(requests.byOperation).map(
    ([operation, number]) => `  ${String(number).padStart(8)}  ${operation}`,
  );
  const allowance =
    windows === null
      ? 'rate limit unknown: set RENDERLINE_RATE_LIMIT'
      : `${formatCount(windows, 'window')} of 60 s`;
  return [
    `${paint('bold', plan.pipeline)}  ${paint('dim', `plan ${plan.hash}`)}`,
    '',
    ...plan.steps.map(
      (step) =>
        `  ${step.id.padEnd(width)}  ${formatStep(step, plan.steps)}${formatTaken(step, preview)}`,
    ),
    ...(plan.route.length === 0 ? [] : ['', ...plan.route.map((line) => `  ${line}`)]),
    '',
    `assets    ${formatCount(assets.total, unit)}: ${assets.new} new, ${assets.changed} changed, ${assets.unchanged} unchanged${assets.refused > 0 ? `, ${assets.refused} refused` : ''}${assets.later > 0 ? `, ${assets.later} still being written` : ''}`,
    ...formatStartPoints(preview.startPoints, unit).map((line) => `repeated  ${line}`),
    ...formatMoved(preview.moved, unit),
    ...(preview.redelivery?.missing ? [`          ${formatRedelivery(preview.redelivery)}`] : []),
    ...(assets.verified ? [`verified  ${formatVerified(assets.verified)}`] : []),
    ...(grouping === null ? [] : formatGrouping(grouping)),
    ...(grid === null ? [] : formatGrid(grid)),
    `renders   ${formatUpperBound(preview.renders, 'job', preview.max)}`,
    ...formatModelFiles(preview),
    ...(preview.files.total === 0 ? [] : [`files     ${formatFileCount(preview.files)}`]),
    ...(preview.withdraws
      ? formatWithdrawal(preview.withdraws, unit === 'file' ? 'model' : unit).map(
          (line) => `withdraws ${line}`,
        )
      : []),
    ...(deletes === 0 ? [] : [`deletes   ${formatDeletes(deletes)}`]),
    `requests  about ${formatRange(requests.total, requests.max)} (${allowance})`,
    ...operations,
    `time      about ${formatSeconds(seconds)}`,
    ...formatStopSettings(plan, assetsToProcess(assets)),
    ...formatLastRun(preview.sinceLastRun),
    `records   ${formatRecords(preview.records, plan.file)}`,
    ...(plan.destination === null
      ? []
      : [
          `delivers  to ${[plan.destination, ...otherDestinations(plan)].map(locationOf).join(', ')}`,
        ]),
    ...formatQuota(quota),
    ...(preview.renderQuota
      ? [`monthly   ${formatQuotaStatus(preview.renderQuota, preview.max)}`]
      : []),
  ].join('\n');
}

/** For example `call  up to 250 at once  after ready, continues with shots`. */
function formatStep({ id, mode, batch, parents, chain }: Step, steps: readonly Step[]): string {
  const isFirst = !steps.some((other) => other.chain?.includes(id));
  const when = [
    ...(parents.length > 0 ? [`after ${parents.join(', ')}`] : []),
    ...(chain && isFirst ? [`continues with ${chain.join(', ')}`] : []),
  ];
  return `${mode.padEnd(4)}  up to ${String(batch).padStart(3)} at once  ${when.join(', ')}`.trimEnd();
}

/** Number of assets that reach a step, if a `when:` skips or may skip some. */
function formatTaken({ id }: Step, { steps, assets }: PlanShape): string {
  const { assets: taken = 0, undecided = 0 } = steps.find((step) => step.id === id) ?? {};
  const all = assetsToProcess(assets);
  if (taken === all && undecided === 0) return '';
  return `  for ${undecided > 0 ? 'at most ' : ''}${taken} of ${formatCount(all, 'asset')}`;
}

function formatModelFiles({ modelFiles, requests: { byOperation } }: PlanShape): string[] {
  if (modelFiles === undefined) return [];
  const { downloadModel: downloads = 0 } = byOperation;
  return [`models    ${formatCount(modelFiles, 'file')}, ${downloads} to download`];
}

function formatFileCount({ total, min }: PlanShape['files']): string {
  return `${min ? 'at least ' : ''}${formatCount(total, 'file')}`;
}

function formatStopSettings({ tolerate, canary }: Plan, toDo: number): string[] {
  const lines: string[] = [];
  if (canary) {
    const first = formatCount(canary.assets, 'asset');
    const waits = `then approval within ${formatDuration(canary.timeoutMs)}`;
    lines.push(
      `canary    ${toDo > canary.assets ? `the first ${first}, ${waits}` : `no approval needed: the canary covers all assets`}`,
    );
  }
  if (tolerate) {
    const { failures, of, onBreach } = tolerate;
    const max = of === 'percent' ? `${failures}% of the assets` : formatCount(failures, 'asset');
    lines.push(`tolerates ${max} failing, then ${onBreach === 'stop' ? 'stops' : 'pauses'}`);
  }
  return lines;
}

function formatLastRun(difference: PlanDifference | null): string[] {
  if (difference === null) return ['last run  none yet'];
  const { run, startedAt, recipeChanged, parameters } = difference;
  const changed = Object.entries(parameters).map(
    ([name, { was, is }]) => `          ${name}: ${JSON.stringify(was)} -> ${JSON.stringify(is)}`,
  );
  const recipe = recipeChanged ? ['          how assets are processed'] : [];
  const same = changed.length + recipe.length === 0;
  return [
    `last run  ${run} at ${startedAt}${same ? ': the same settings' : '; since then changed:'}`,
    ...recipe,
    ...changed,
  ];
}

function formatRecords({ place, proved }: RecordsStatus, file: string): string {
  if (proved) return `in ${place}, tested`;
  return `in ${place}, not tested yet: the first run tests it before paid work, as does renderline doctor ${file}`;
}

function formatQuota(quota: PlanShape['quota']): string[] {
  if (quota === null) return [];
  const of = ({ used, limit }: NonNullable<PlanShape['quota']>['models']) =>
    `${used} of ${limit ?? 'unlimited'}`;
  return [`quota     ${quota.tier}: models ${of(quota.models)}, projects ${of(quota.projects)}`];
}
