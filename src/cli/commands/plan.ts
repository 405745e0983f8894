// `renderline plan`: previews work, cost and assets of the next run. Read-only.
import type { Command } from '@commander-js/extra-typings';
import { estimate } from '../../capabilities/estimate.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { formatDuration } from '../../language/duration.ts';
import { excessLines, findExcess, workOf } from '../../machinery/cost/check-limits.ts';
import type { Estimate } from '../../machinery/cost/step-cost.ts';
import { type Begin, beginLines, countBegins } from '../../plan/begins.ts';
import type { Discovery } from '../../plan/contract.ts';
import { count, countUpTo } from '../../plan/count.ts';
import { otherDestinations } from '../../plan/deliveries.ts';
import { placeOf } from '../../plan/place.ts';
import { toDoOf } from '../../plan/shares.ts';
import type { Plan, Step } from '../../plan/types.ts';
import type { Grouping } from '../../store/discovery/lister.ts';
import type { PlanDifference } from '../../store/runs/last-run.ts';
import { beginAt } from '../../store/runs/manifest-asset.ts';
import type { Paint } from '../color.ts';
import { compilePipeline } from '../compiled-file.ts';
import { explainUnlessRefused } from '../exit.ts';
import { type GridReport, gridLines, gridReport } from '../grid-lines.ts';
import { groupingLines } from '../grouping-lines.ts';
import { fileLines, inspectPreview } from '../inspected-preview.ts';
import { withKnownOutputs } from '../known-outputs.ts';
import { isFreeMove, type MovedPlan, movedLines, movedReport } from '../moved-lines.ts';
import { nameLines, nameReport } from '../name-report.ts';
import { gather, parsePairs } from '../params.ts';
import { type RecordsReport, recordsReport } from '../places-report.ts';
import { withPlatform } from '../platform-client.ts';
import { previewAssets } from '../preview-assets.ts';
import { chosenPreview, chosenText, refuseNoMatch } from '../runs/chosen-preview.ts';
import { causeEnds } from '../runs/run-report.ts';
import { spell, verifiedWords } from '../runs/run-summary.ts';
import { spelledOut } from '../screen-text.ts';
import { noteMissingSecrets } from '../secret-notes.ts';
import { limitsWith, selectionOf, selectionOptions } from '../selection.ts';
import type { Session } from '../session.ts';
import { refusalsOf, slotLines, slotReport } from '../slot-report.ts';
import { lookAtStanding, type StandingLook, standingWords } from '../standing-preview.ts';
import { type WithdrawalReport, withdrawalLines, withdrawalReport } from '../withdrawal-report.ts';

interface Quota {
  tier: string;
  models: { used: number; limit: number | null };
  projects: { used: number; limit: number | null };
}

export function declarePlan(command: Command, session: Session): void {
  command
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', gather)
    .option('--verify', 'compare apparently unchanged sources and delivered files by content')
    .option(...selectionOptions.only)
    .option(...selectionOptions.where)
    .option(...selectionOptions.force)
    .option(...selectionOptions.limit)
    .option(...selectionOptions.withdrawAll)
    .action(
      session.action(async (file, { param, verify = false, withdrawAll = false, ...flags }) => {
        const selection = selectionOf(flags);
        const compiled = await compilePipeline(session, file, parsePairs('--param', param));
        const { plan } = compiled;
        noteMissingSecrets(session, [plan]);
        const limits = limitsWith(compiled.limits, flags);
        const records = await recordsReport(plan);
        const listed = await previewAssets(session, plan, {
          selection,
          verify: verify && flags.force !== true,
          withdrawAll,
        });
        const withdraws = await withdrawalReport(session, plan, listed);
        const inspected = await inspectPreview(session, plan, listed);
        const look = await lookAtStanding(session, plan, inspected);
        const found = { ...inspected, ...(look && { assets: look.assets }) };
        const asked = look?.standing.away ? { getRenderJob: look.standing.away } : {};
        const config = await session.config();
        const known = await withKnownOutputs(plan, found.assets);
        const { makes, taken, ...estimated } = estimate(
          plan,
          { ...found, assets: known, requests: { ...found.requests, ...asked } },
          config.rateLimit.value,
        );
        const cost = { ...estimated, atMost: estimated.atMost || found.left > 0 };
        const assets = {
          ...found.counts,
          refused: found.refused.length,
          later: found.later.length,
        };
        const slots = slotReport(plan, listed, found);
        const refusals = refusalsOf(found, slots);
        const names = listed.assets.length === 0 ? null : await nameReport(session, plan, listed);
        const excess = findExcess(limits, { ...cost, makes, taken }, workOf(found));
        const quota = await readQuota(session);
        const shape = {
          schema: 'renderline/plan/v1',
          pipeline: plan.pipeline,
          file: plan.file,
          hash: plan.hash,
          ...(selection && { selection }),
          assets,
          ...cost,
          begins: countBegins(found.assets.filter((one) => !isFreeMove(one)).map(beginAt)),
          standing: look?.standing ?? null,
          moved: movedReport(found),
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
          ...holdsOf(plan),
          sinceLastRun: found.sinceLastRun,
          records,
          slots,
          names,
          grouping: found.grouping ?? null,
          withdraws,
          grid: gridReport(listed, found.assets.length),
          excess,
          quota,
        };
        const isOfFiles = found.of === 'files' && !found.grouping && !shape.grid;
        const unit = isOfFiles ? 'file' : 'asset';
        if (selection !== null) {
          const preview = chosenPreview(found, cost);
          refuseNoMatch(selection, preview, plan.file);
          session.output.note(chosenText(selection, preview));
        }
        session.output.answer(shape, () => page(plan, shape, unit, session.output.paint));
        for (const { key, message } of withdraws?.warnings ?? [])
          session.output.note(`warning ${key}: ${message}`);
        for (const line of fileLines({ ...found, refused: refusals })) session.output.note(line);
        for (const line of slotLines(slots, refusals)) session.output.note(line);
        for (const line of nameLines(names ?? [])) session.output.note(line);
        const [stop] = names ?? [];
        if (excess.length === 0) return stop ? causeEnds[stop.kind] : exitCode.done;
        session.output.note(`The plan exceeds its limits:\n${excessLines(excess)}`);
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
    session.output.note(`The quota is unknown: ${explainUnlessRefused(error).message}`);
    return null;
  }
}

interface PlanAnswer extends Omit<Estimate, 'makes' | 'taken'> {
  assets: Pick<Discovery, 'total' | 'new' | 'changed' | 'unchanged' | 'verified'> & {
    later: number;
    refused: number;
  };
  begins: Begin[];
  standing: StandingLook | null;
  moved: MovedPlan | null;
  withdraws: WithdrawalReport | null;
  quota: Quota | null;
  sinceLastRun: PlanDifference | null;
  records: RecordsReport;
  grouping: Grouping | null;
  grid: GridReport | null;
  steps: { id: string; assets: number; undecided: number }[];
}

/** For example `call  up to 250 at once  after ready, continues with shots`. */
function stepWords({ id, mode, batch, parents, chain }: Step, steps: readonly Step[]): string {
  const isFirst = !steps.some((other) => other.chain?.includes(id));
  const when = [
    ...(parents.length > 0 ? [`after ${parents.join(', ')}`] : []),
    ...(chain && isFirst ? [`continues with ${chain.join(', ')}`] : []),
  ];
  return `${mode.padEnd(4)}  up to ${String(batch).padStart(3)} at once  ${when.join(', ')}`.trimEnd();
}

/** Number of assets that reach a step, if a `when:` skips or may skip some. */
function takenWords({ id }: Step, { steps, assets }: PlanAnswer): string {
  const { assets: taken = 0, undecided = 0 } = steps.find((step) => step.id === id) ?? {};
  const all = toDoOf(assets);
  if (taken === all && undecided === 0) return '';
  return `  for ${undecided > 0 ? 'at most ' : ''}${taken} of ${count(all, 'asset')}`;
}

function page(of: Plan, found: PlanAnswer, unit: string, paint: Paint): string {
  const plan = spelledOut(of);
  const answer = spelledOut(found);
  const { assets, requests, windows, deletes, seconds, quota, grouping, grid } = answer;
  const width = Math.max(0, ...plan.steps.map(({ id }) => id.length));
  const operations = Object.entries(requests.byOperation).map(
    ([operation, number]) => `  ${String(number).padStart(8)}  ${operation}`,
  );
  const allowance =
    windows === null
      ? 'rate limit unknown: set RENDERLINE_RATE_LIMIT'
      : `${count(windows, 'window')} of 60 s`;
  return [
    `${paint('bold', plan.pipeline)}  ${paint('dim', `plan ${plan.hash}`)}`,
    '',
    ...plan.steps.map(
      (step) =>
        `  ${step.id.padEnd(width)}  ${stepWords(step, plan.steps)}${takenWords(step, answer)}`,
    ),
    ...(plan.route.length === 0 ? [] : ['', ...plan.route.map((line) => `  ${line}`)]),
    '',
    `assets    ${count(assets.total, unit)}: ${assets.new} new, ${assets.changed} changed, ${assets.unchanged} unchanged${assets.refused > 0 ? `, ${assets.refused} refused` : ''}${assets.later > 0 ? `, ${assets.later} still being written` : ''}`,
    ...beginLines(answer.begins, unit).map((line) => `again     ${line}`),
    ...movedLines(answer.moved, unit),
    ...(answer.standing?.away ? [`          ${standingWords(answer.standing)}`] : []),
    ...(assets.verified ? [`verified  ${verifiedWords(assets.verified)}`] : []),
    ...(grouping === null ? [] : groupingLines(grouping)),
    ...(grid === null ? [] : gridLines(grid)),
    `renders   ${countUpTo(answer.renders, 'job', answer.atMost)}`,
    ...modelLines(answer),
    ...(answer.files.total === 0 ? [] : [`files     ${filesWords(answer.files)}`]),
    ...(answer.withdraws
      ? withdrawalLines(answer.withdraws, unit === 'file' ? 'model' : unit)
      : []),
    ...(deletes === 0 ? [] : [`deletes   ${deletesOf(deletes)}`]),
    `requests  about ${requests.total} (${allowance})`,
    ...operations,
    `time      about ${spell(seconds)}`,
    ...holdLines(plan, toDoOf(assets)),
    ...lastRunLines(answer.sinceLastRun),
    `records   ${recordsWords(answer.records, plan.file)}`,
    ...(plan.destination === null
      ? []
      : [`delivers  to ${[plan.destination, ...otherDestinations(plan)].map(placeOf).join(', ')}`]),
    ...quotaLines(quota),
  ].join('\n');
}

function modelLines({ modelFiles, requests: { byOperation } }: PlanAnswer): string[] {
  if (modelFiles === undefined) return [];
  const { downloadModel: downloads = 0 } = byOperation;
  return [`models    ${count(modelFiles, 'file')}, ${downloads} to download`];
}

function filesWords({ total, atLeast }: Estimate['files']): string {
  return `${atLeast ? 'at least ' : ''}${count(total, 'file')}`;
}

function deletesOf(versions: number): string {
  return `earlier versions of ${count(versions, 'changed file')} on the platform, once the new ones are complete`;
}

/** Settings that may stop or pause the run before its end. */
function holdsOf({ tolerate, canary }: Plan) {
  if (!tolerate) return { tolerate: null, canary: canary ?? null };
  const { failures, of, onBreach } = tolerate;
  return { tolerate: { failures, of, onBreach }, canary: canary ?? null };
}

function holdLines({ tolerate, canary }: Plan, toDo: number): string[] {
  const lines: string[] = [];
  if (canary) {
    const first = count(canary.assets, 'asset');
    const waits = `then approval within ${formatDuration(canary.timeoutMs)}`;
    lines.push(
      `canary    ${toDo > canary.assets ? `the first ${first}, ${waits}` : `no approval needed: the canary covers all assets`}`,
    );
  }
  if (tolerate) {
    const { failures, of, onBreach } = tolerate;
    const most = of === 'percent' ? `${failures}% of the assets` : count(failures, 'asset');
    lines.push(`tolerates ${most} failing, then ${onBreach === 'stop' ? 'stops' : 'pauses'}`);
  }
  return lines;
}

function lastRunLines(difference: PlanDifference | null): string[] {
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

function recordsWords({ place, proved }: RecordsReport, file: string): string {
  if (proved) return `in ${place}, tested`;
  return `in ${place}, not tested yet: the first run tests it before paid work, as does renderline doctor ${file}`;
}

function quotaLines(quota: Quota | null): string[] {
  if (quota === null) return [];
  const of = ({ used, limit }: Quota['models']) => `${used} of ${limit ?? 'unlimited'}`;
  return [`quota     ${quota.tier}: models ${of(quota.models)}, projects ${of(quota.projects)}`];
}
