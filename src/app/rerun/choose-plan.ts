// Chooses the plan of a rerun: the run's pinned plan, or the latest plan of its file.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Limits } from '../../compile/pipeline.ts';
import { commandFailures } from '../../failures/commands.ts';
import { runFailures } from '../../failures/runs.ts';
import type { RunStart } from '../../plan/contract/contract.ts';
import { quoteForShell } from '../../plan/helpers/quote-for-shell.ts';
import { locationOf } from '../../plan/run/location.ts';
import type { Rerun } from '../../plan/run/rerun.ts';
import { rerunCommand } from '../../plan/run/rerun-command.ts';
import { type Plan, planSchema } from '../../plan/types.ts';
import { pipelineSlugOf } from '../../store/objects/object-name.ts';
import type { App } from '../app.ts';
import { compileForRun } from '../choices/check-choices.ts';
import { checkFile } from '../compile-pipeline.ts';
import { RenderlineError, usageError } from '../renderline-error.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';
import { comparePlans, formatDifference, isSamePlan } from './plan-difference.ts';

export interface EarlierRun {
  run: string;
  /** Null if Temporal no longer has the run. */
  temporalRun: { snapshot: RunSnapshot; start: RunStart } | null;
}

export interface PlanChoice {
  /** Pipeline file. @default the file of the run */
  file: string | undefined;
  parameters: Readonly<Record<string, string>>;
  /** Plan to use. If absent, the pinned plan is used if it still matches the file. Otherwise, a person must choose. */
  with: Rerun['plan'] | undefined;
  /** The selection of assets, which is repeated in the commands of error messages. */
  failed: boolean;
  where: string | null;
}

export interface ChosenPlan {
  plan: Plan;
  limits: Limits;
  which: Rerun['plan'];
  /** Path of the file from which the plan was compiled. Null if unknown. */
  path: string | null;
}

/** @throws RenderlineError if a person must choose, or if the chosen plan is not available */
export async function choosePlan(
  app: App,
  earlierRun: EarlierRun,
  choice: PlanChoice,
): Promise<ChosenPlan> {
  if (choice.with === 'pinned') {
    assertNoPlanOptions(earlierRun.run, choice);
    return takePinnedPlan(earlierRun, choice);
  }
  if (choice.with === 'latest') return compileLatestPlan(app, earlierRun, choice);
  const pinned = takePinnedPlan(earlierRun, choice);
  if (fileOf(earlierRun, choice) === null) {
    throw new RenderlineError(
      commandFailures.PLAN_NOT_CHOSEN,
      `The file that ${earlierRun.run} was started from is unknown or does not exist, so its plan cannot be compared with that of the run.`,
      { fix: formatBothCommands(earlierRun.run, choice, 'FILE') },
    );
  }
  const latestPlan = await compileLatestPlan(app, earlierRun, choice);
  if (latestPlan.plan.hash === pinned.plan.hash) return pinned;
  const difference = comparePlans(pinned.plan, latestPlan.plan);
  if (isSamePlan(difference)) return pinned;
  const { run } = earlierRun;
  const lines = [
    `${latestPlan.path} now compiles to a different plan than the one ${run} was started with:`,
    ...formatDifference(difference),
  ];
  throw new RenderlineError(commandFailures.PLAN_DIFFERS, lines.join('\n  '), {
    fix: formatBothCommands(run, choice),
    details: { run, difference },
  });
}

function takePinnedPlan({ run, temporalRun }: EarlierRun, choice: PlanChoice): ChosenPlan {
  if (!temporalRun) {
    const fix = `Rerun the run with the current file: ${formatLatestCommand(run, choice, 'FILE')}`;
    throw new RenderlineError(
      commandFailures.RUN_FORGOTTEN,
      `Temporal no longer has the run ${run} and its plan; its records still exist.`,
      { fix, details: { run } },
    );
  }
  const { plan, limits = {} } = temporalRun.start;
  const schema: string = plan.schema;
  if (schema !== planSchema) {
    throw new RenderlineError(
      runFailures.PLAN_VERSION,
      `The plan of ${run} has the schema ${schema}; this version runs plans with the schema ${planSchema}.`,
      {
        fix: `Rerun the run with the current file: ${formatLatestCommand(run, choice)}`,
        details: { run },
      },
    );
  }
  // A rerun of this rerun may need the path of the file.
  return { plan, limits, which: 'pinned', path: temporalRun.snapshot.memo?.path ?? null };
}

async function compileLatestPlan(
  app: App,
  earlierRun: EarlierRun,
  choice: PlanChoice,
): Promise<ChosenPlan> {
  const file = fileOf(earlierRun, choice);
  if (file === null) {
    const { run } = earlierRun;
    throw new RenderlineError(
      commandFailures.FILE_NOT_KNOWN,
      `The file that ${run} was started from is unknown or no longer exists.`,
      { fix: `Specify the file: ${formatLatestCommand(run, choice, 'FILE')}`, details: { run } },
    );
  }
  const declaredParameters = (await checkFile(app, file, null)).pipeline?.parameters ?? {};
  const inherited = Object.entries(earlierRun.temporalRun?.start.plan.parameters ?? {}).filter(
    ([name]) => Object.hasOwn(declaredParameters, name),
  );
  const parameters = { ...Object.fromEntries(inherited), ...choice.parameters };
  const { plan, limits } = await compileForRun(app, file, parameters);
  assertSameRecords(earlierRun, plan, { ...choice, file });
  return { plan, limits, which: 'latest', path: resolve(app.cwd, file) };
}

/** Returns the file from the command line or, if it still exists on this machine, the file of the run. */
function fileOf({ temporalRun }: EarlierRun, { file }: PlanChoice): string | null {
  const path = temporalRun?.snapshot.memo?.path;
  return file ?? (path !== undefined && existsSync(path) ? path : null);
}

/** Results of a run can be reused only with the same records. @throws RenderlineError for a plan with other records */
function assertSameRecords({ run, temporalRun }: EarlierRun, plan: Plan, choice: PlanChoice): void {
  const memo = temporalRun?.snapshot.memo;
  if (!memo) return;
  const hasSameRecords =
    pipelineSlugOf(memo.pipeline) === pipelineSlugOf(plan.pipeline) &&
    JSON.stringify(memo.records) === JSON.stringify(plan.records);
  if (hasSameRecords) return;
  const fixes = [
    `Correct the file or its parameters, or: ${formatPinnedCommand(run, choice)}`,
    `If the records were moved: renderline run ${quoteForShell(choice.file ?? 'FILE')}`,
  ];
  throw new RenderlineError(
    commandFailures.RECORDS_MOVED,
    `${run} keeps its records as "${memo.pipeline}" in ${locationOf(memo.records)}; ${choice.file} keeps its records as "${plan.pipeline}" in ${locationOf(plan.records)}.`,
    { fix: fixes.join('\n'), details: { run } },
  );
}

/** @throws RenderlineError for options that would have no effect */
function assertNoPlanOptions(run: string, choice: PlanChoice): void {
  const { file, parameters } = choice;
  if (file === undefined && Object.keys(parameters).length === 0) return;
  throw usageError(
    '--with pinned uses the unchanged plan of the run and cannot be combined with a file or --param.',
    `${formatPinnedCommand(run, choice)}\nor: ${formatLatestCommand(run, choice, file ?? 'FILE')}`,
  );
}

function formatBothCommands(run: string, choice: PlanChoice, file?: string): string {
  return [
    `To use the run's plan: ${formatPinnedCommand(run, choice)}`,
    `With the current file: ${formatLatestCommand(run, choice, file)}`,
  ].join('\n');
}

function formatPinnedCommand(run: string, { failed, where }: PlanChoice): string {
  return rerunCommand(run, { failed, where, with: 'pinned' });
}

function formatLatestCommand(run: string, choice: PlanChoice, file = choice.file): string {
  const { failed, where, parameters } = choice;
  return rerunCommand(run, { file, failed, where, parameters, with: 'latest' });
}
