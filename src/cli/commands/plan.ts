// `renderline plan`: previews work, cost and assets of the next run. Read-only.
import type { Command } from '@commander-js/extra-typings';
import { compilePipeline } from '../../app/compile-pipeline.ts';
import { noteMissingSecrets } from '../../app/missing-secrets.ts';
import { formatGrid, type GridReport, reportGrid } from '../../app/plan/grid-report.ts';
import { formatFileRemarks, inspectPreview } from '../../app/plan/inspected-preview.ts';
import { withKnownOutputs } from '../../app/plan/known-outputs.ts';
import {
  formatMoved,
  isFreeMove,
  type MovedPlan,
  reportMoved,
} from '../../app/plan/moved-report.ts';
import { checkNames, formatNameFindings } from '../../app/plan/name-check.ts';
import { previewAssets } from '../../app/plan/preview-assets.ts';
import {
  checkRedelivery,
  formatRedelivery,
  type RedeliveryCheck,
} from '../../app/plan/redelivery-check.ts';
import { checkSlots, explainRefusals, formatSlotFindings } from '../../app/plan/slot-check.ts';
import { type RecordsStatus, readRecordsStatus } from '../../app/plan/store-checks.ts';
import {
  formatWithdrawal,
  previewWithdrawal,
  type WithdrawalReport,
} from '../../app/plan/withdrawal-preview.ts';
import { withPlatform } from '../../app/platform-client.ts';
import { explainUnlessUnauthorized } from '../../app/renderline-error.ts';
import { refuseNoMatch, summarizeChosen } from '../../app/runs/chosen-preview.ts';
import { causeExitCodes } from '../../app/runs/run-report.ts';
import { mergeLimits, readSelection } from '../../app/runs/selection.ts';
import { findExcess, formatExcess, plannedWorkOf } from '../../engine/cost/check-limits.ts';
import type { Estimate } from '../../engine/cost/step-cost.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { estimate } from '../../features/estimate.ts';
import { formatDuration } from '../../language/duration.ts';
import type { Discovery } from '../../plan/contract/contract.ts';
import { assetsToProcess } from '../../plan/contract/sharding.ts';
import { formatCount, formatUpperBound } from '../../plan/helpers/format-count.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import { otherDestinations } from '../../plan/run/deliveries.ts';
import { locationOf } from '../../plan/run/location.ts';
import {
  countStartPoints,
  formatStartPoints,
  type StartPointCount,
} from '../../plan/run/start-points.ts';
import type { Plan, Step } from '../../plan/types.ts';
import type { Grouping } from '../../store/discovery/lister.ts';
import type { PlanDifference } from '../../store/runs/last-run.ts';
import { startPointOf } from '../../store/runs/manifest-asset.ts';
import type { Paint } from '../color.ts';
import { formatGrouping } from '../format-grouping.ts';
import { collectOption, parsePairs } from '../params.ts';
import { formatChosenPreview } from '../runs/format-chosen-preview.ts';
import { formatVerified } from '../runs/run-summary.ts';
import { parseLimits, selectionOptions } from '../runs/selection-options.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

interface Quota {
  tier: string;
  models: { used: number; limit: number | null };
  projects: { used: number; limit: number | null };
}

export function declarePlan(command: Command, session: Session): void {
  command
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', collectOption)
    .option('--verify', 'compare apparently unchanged sources and delivered files by content')
    .option(...selectionOptions.only)
    .option(...selectionOptions.where)
    .option(...selectionOptions.force)
    .option(...selectionOptions.limit)
    .option(...selectionOptions.withdrawAll)
    .action(
      session.action(async (file, { param, verify = false, withdrawAll = false, ...flags }) => {
        const selection = readSelection(flags);
        const compiled = await compilePipeline(session, file, parsePairs('--param', param));
        const { plan } = compiled;
        noteMissingSecrets(session, [plan]);
        const limits = mergeLimits(compiled.limits, parseLimits(flags));
        const records = await readRecordsStatus(plan);
        const listed = await previewAssets(session, plan, {
          selection,
          verify: verify && flags.force !== true,
          withdrawAll,
        });
        const withdraws = await previewWithdrawal(session, plan, listed);
        const inspected = await inspectPreview(session, plan, listed);
        const redeliveryCheck = await checkRedelivery(session, plan, inspected);
        const found = { ...inspected, ...(redeliveryCheck && { assets: redeliveryCheck.assets }) };
        const extraRequests = redeliveryCheck?.redelivery.missing
          ? { getRenderJob: redeliveryCheck.redelivery.missing }
          : {};
        const config = await session.config();
        const known = await withKnownOutputs(plan, found.assets);
        const { creates, taken, ...estimated } = estimate(
          plan,
          { ...found, assets: known, requests: { ...found.requests, ...extraRequests } },
          config.rateLimit.value,
        );
        const cost = { ...estimated, max: estimated.max || found.left > 0 };
        const assets = {
          ...found.counts,
          refused: found.refused.length,
          later: found.later.length,
        };
        const slots = checkSlots(plan, listed, found);
        const refusals = explainRefusals(found, slots);
        const names = listed.assets.length === 0 ? null : await checkNames(session, plan, listed);
        const excess = findExcess(limits, { ...cost, creates, taken }, plannedWorkOf(found));
        const quota = await readQuota(session);
        const shape = {
          schema: 'renderline/plan/v1',
          pipeline: plan.pipeline,
          file: plan.file,
          hash: plan.hash,
          ...(selection && { selection }),
          assets,
          ...cost,
          begins: countStartPoints(
            found.assets.filter((one) => !isFreeMove(one)).map(startPointOf),
          ),
          redelivery: redeliveryCheck?.redelivery ?? null,
          moved: reportMoved(found),
          refusals,
          warnings: found.warnings,
          steps: plan.steps.map(({ id, node, activity, mode, parents, batch }) => ({
            id,
            node,
            activity,
            mode,
            parents,
            batch,
            ...(taken[id] ?? { assets: 0, undecided: 0 }),
          })),
          route: plan.route,
          ...stopSettingsOf(plan),
          sinceLastRun: found.sinceLastRun,
          records,
          slots,
          names,
          grouping: found.grouping ?? null,
          withdraws,
          grid: reportGrid(listed, found.assets.length),
          excess,
          quota,
        };
        const isOfFiles = found.sourceKind === 'files' && !found.grouping && !shape.grid;
        const unit = isOfFiles ? 'file' : 'asset';
        if (selection !== null) {
          const preview = summarizeChosen(found, cost);
          refuseNoMatch(selection, preview, plan.file);
          session.output.note(formatChosenPreview(selection, preview));
        }
        session.output.result(shape, () => formatPlan(plan, shape, unit, session.output.paint));
        for (const { key, message } of withdraws?.warnings ?? [])
          session.output.note(`warning ${key}: ${message}`);
        for (const line of formatFileRemarks({ ...found, refused: refusals }))
          session.output.note(line);
        for (const line of formatSlotFindings(slots, refusals)) session.output.note(line);
        for (const line of formatNameFindings(names ?? [])) session.output.note(line);
        const [stop] = names ?? [];
        if (excess.length === 0) return stop ? causeExitCodes[stop.kind] : exitCode.done;
        session.output.note(`The plan exceeds its limits:\n${formatExcess(excess)}`);
        return exitCode.usage;
      }),
    );
}

/** Reads the workspace's quota; null if the platform is not configured or does not respond, since a plan does not need it. */
async function readQuota(session: Session): Promise<Quota | null> {
  const { baseUrl, apiKey } = await session.config();
  if (baseUrl.value === null || apiKey.value === null) return null;
  try {
    return await withPlatform(session, async (client) => {
      const options = { priority: 'interactive', maxWaitMs: 5_000 } as const;
      const { tier, models, projects } = await client.getUsage({}, options);
      return { tier, models, projects };
    });
  } catch (error) {
    session.output.note(`The quota is unknown: ${explainUnlessUnauthorized(error).message}`);
    return null;
  }
}

interface PlanJson extends Omit<Estimate, 'creates' | 'taken'> {
  assets: Pick<Discovery, 'total' | 'new' | 'changed' | 'unchanged' | 'verified'> & {
    later: number;
    refused: number;
  };
  begins: StartPointCount[];
  redelivery: RedeliveryCheck | null;
  moved: MovedPlan | null;
  withdraws: WithdrawalReport | null;
  quota: Quota | null;
  sinceLastRun: PlanDifference | null;
  records: RecordsStatus;
  grouping: Grouping | null;
  grid: GridReport | null;
  steps: { id: string; assets: number; undecided: number }[];
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
function formatTaken({ id }: Step, { steps, assets }: PlanJson): string {
  const { assets: taken = 0, undecided = 0 } = steps.find((step) => step.id === id) ?? {};
  const all = assetsToProcess(assets);
  if (taken === all && undecided === 0) return '';
  return `  for ${undecided > 0 ? 'at most ' : ''}${taken} of ${formatCount(all, 'asset')}`;
}

function formatPlan(of: Plan, found: PlanJson, unit: string, paint: Paint): string {
  const plan = escapeForTerminal(of);
  const answer = escapeForTerminal(found);
  const { assets, requests, windows, deletes, seconds, quota, grouping, grid } = answer;
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
        `  ${step.id.padEnd(width)}  ${formatStep(step, plan.steps)}${formatTaken(step, answer)}`,
    ),
    ...(plan.route.length === 0 ? [] : ['', ...plan.route.map((line) => `  ${line}`)]),
    '',
    `assets    ${formatCount(assets.total, unit)}: ${assets.new} new, ${assets.changed} changed, ${assets.unchanged} unchanged${assets.refused > 0 ? `, ${assets.refused} refused` : ''}${assets.later > 0 ? `, ${assets.later} still being written` : ''}`,
    ...formatStartPoints(answer.begins, unit).map((line) => `again     ${line}`),
    ...formatMoved(answer.moved, unit),
    ...(answer.redelivery?.missing ? [`          ${formatRedelivery(answer.redelivery)}`] : []),
    ...(assets.verified ? [`verified  ${formatVerified(assets.verified)}`] : []),
    ...(grouping === null ? [] : formatGrouping(grouping)),
    ...(grid === null ? [] : formatGrid(grid)),
    `renders   ${formatUpperBound(answer.renders, 'job', answer.max)}`,
    ...formatModelFiles(answer),
    ...(answer.files.total === 0 ? [] : [`files     ${formatFileCount(answer.files)}`]),
    ...(answer.withdraws
      ? formatWithdrawal(answer.withdraws, unit === 'file' ? 'model' : unit)
      : []),
    ...(deletes === 0 ? [] : [`deletes   ${formatDeletes(deletes)}`]),
    `requests  about ${requests.total} (${allowance})`,
    ...operations,
    `time      about ${formatSeconds(seconds)}`,
    ...formatStopSettings(plan, assetsToProcess(assets)),
    ...formatLastRun(answer.sinceLastRun),
    `records   ${formatRecords(answer.records, plan.file)}`,
    ...(plan.destination === null
      ? []
      : [
          `delivers  to ${[plan.destination, ...otherDestinations(plan)].map(locationOf).join(', ')}`,
        ]),
    ...formatQuota(quota),
  ].join('\n');
}

function formatModelFiles({ modelFiles, requests: { byOperation } }: PlanJson): string[] {
  if (modelFiles === undefined) return [];
  const { downloadModel: downloads = 0 } = byOperation;
  return [`models    ${formatCount(modelFiles, 'file')}, ${downloads} to download`];
}

function formatFileCount({ total, min }: Estimate['files']): string {
  return `${min ? 'at least ' : ''}${formatCount(total, 'file')}`;
}

function formatDeletes(versions: number): string {
  return `earlier versions of ${formatCount(versions, 'changed file')} on the platform, once the new ones are complete`;
}

/** Settings that may stop or pause the run before its end. */
function stopSettingsOf({ tolerate, canary }: Plan) {
  if (!tolerate) return { tolerate: null, canary: canary ?? null };
  const { failures, of, onBreach } = tolerate;
  return { tolerate: { failures, of, onBreach }, canary: canary ?? null };
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

function formatQuota(quota: Quota | null): string[] {
  if (quota === null) return [];
  const of = ({ used, limit }: Quota['models']) => `${used} of ${limit ?? 'unlimited'}`;
  return [`quota     ${quota.tier}: models ${of(quota.models)}, projects ${of(quota.projects)}`];
}
