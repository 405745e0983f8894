// Chooses the plan of a rerun: the pinned plan of the run, or the latest plan of its file.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Limits } from '../../compile/pipeline.ts';
import { commandFailures } from '../../failures/commands.ts';
import { runFailures } from '../../failures/runs.ts';
import type { RunStart } from '../../plan/contract/contract.ts';
import { shellQuoted } from '../../plan/helpers/shell-quote.ts';
import { locationOf } from '../../plan/run/location.ts';
import type { Rerun } from '../../plan/run/rerun.ts';
import { rerunCommand } from '../../plan/run/rerun-command.ts';
import { type Plan, planSchema } from '../../plan/types.ts';
import { pipelineSlug } from '../../store/objects/object-name.ts';
import type { App } from '../app.ts';
import { checkFile, compilePipeline } from '../compile-pipeline.ts';
import { RenderlineError } from '../renderline-error.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';
import { comparePlans, formatDifference, isSamePlan } from './plan-difference.ts';

/** The run to rerun. */
export interface EarlierRun {
  run: string;
  /** null if Temporal no longer has the run. */
  known: { snapshot: RunSnapshot; start: RunStart } | null;
}

export interface PlanFlags {
  file: string | undefined;
  /** `--param` */
  parameters: Readonly<Record<string, string>>;
  with: Rerun['plan'] | undefined;
  /** The selection of assets, which commands in error messages repeat. */
  failed: boolean;
  where: string | null;
}

export interface ChosenPlan {
  plan: Plan;
  limits: Limits;
  which: Rerun['plan'];
  /** Path of the file that the plan was compiled from; null if not known. */
  path: string | null;
}

/** @throws RenderlineError if a person has to choose, or the chosen plan is not available */
export async function choosePlan(
  app: App,
  earlier: EarlierRun,
  flags: PlanFlags,
): Promise<ChosenPlan> {
  if (flags.with === 'pinned') {
    refuseFlagsBesidePinned(earlier.run, flags);
    return pinnedPlan(earlier, flags);
  }
  if (flags.with === 'latest') return latestPlan(app, earlier, flags);
  const pinned = pinnedPlan(earlier, flags);
  if (fileOf(earlier, flags) === null) {
    throw new RenderlineError(
      commandFailures.PLAN_NOT_CHOSEN,
      `The file that ${earlier.run} was started from is not known or does not exist, so it cannot be compared.`,
      { fix: bothCommands(earlier.run, flags, 'FILE') },
    );
  }
  const latest = await latestPlan(app, earlier, flags);
  if (latest.plan.hash === pinned.plan.hash) return pinned;
  const difference = comparePlans(pinned.plan, latest.plan);
  if (isSamePlan(difference)) return pinned;
  throw new RenderlineError(
    commandFailures.PLAN_DIFFERS,
    `${latest.path} gives another plan than ${earlier.run} was started with:\n${formatDifference(
      difference,
    )
      .map((line) => `  ${line}`)
      .join('\n')}`,
    { fix: bothCommands(earlier.run, flags), details: { run: earlier.run, difference } },
  );
}

function pinnedPlan({ run, known }: EarlierRun, flags: PlanFlags): ChosenPlan {
  if (!known) {
    throw new RenderlineError(
      commandFailures.RUN_FORGOTTEN,
      `Temporal no longer has the run ${run} and its plan; its records still exist.`,
      {
        fix: `Rerun it with the current file: ${latestCommand(run, flags, 'FILE')}`,
        details: { run },
      },
    );
  }
  const { plan, limits = {} } = known.start;
  const schema: string = plan.schema;
  if (schema !== planSchema) {
    throw new RenderlineError(
      runFailures.PLAN_VERSION,
      `The plan of ${run} is of ${schema}; this version runs plans of ${planSchema}.`,
      { fix: `Rerun it with the current file: ${latestCommand(run, flags)}`, details: { run } },
    );
  }
  // A rerun of this rerun may need the path of the file.
  return { plan, limits, which: 'pinned', path: known.snapshot.memo?.path ?? null };
}

async function latestPlan(app: App, earlier: EarlierRun, flags: PlanFlags): Promise<ChosenPlan> {
  const file = fileOf(earlier, flags);
  if (file === null) {
    throw new RenderlineError(
      commandFailures.FILE_NOT_KNOWN,
      `The file that ${earlier.run} was started from is not known, or no longer exists.`,
      {
        fix: `Name it: ${latestCommand(earlier.run, flags, 'FILE')}`,
        details: { run: earlier.run },
      },
    );
  }
  const declared = (await checkFile(app, file, null)).pipeline?.parameters ?? {};
  const inherited = Object.entries(earlier.known?.start.plan.parameters ?? {}).filter(([name]) =>
    Object.hasOwn(declared, name),
  );
  const parameters = { ...Object.fromEntries(inherited), ...flags.parameters };
  const { plan, limits } = await compilePipeline(app, file, parameters);
  refuseOtherRecords(earlier, plan, { ...flags, file });
  return { plan, limits, which: 'latest', path: resolve(app.cwd, file) };
}

/** The file from the command line, or else the file of the run, if it still exists on this machine. */
function fileOf({ known }: EarlierRun, { file }: PlanFlags): string | null {
  const path = known?.snapshot.memo?.path;
  return file ?? (path !== undefined && existsSync(path) ? path : null);
}

/** Results of a run can only be reused with the same records. @throws RenderlineError for a plan with other records */
function refuseOtherRecords({ run, known }: EarlierRun, plan: Plan, flags: PlanFlags): void {
  const memo = known?.snapshot.memo;
  if (!memo) return;
  const same =
    pipelineSlug(memo.pipeline) === pipelineSlug(plan.pipeline) &&
    JSON.stringify(memo.records) === JSON.stringify(plan.records);
  if (same) return;
  throw new RenderlineError(
    commandFailures.RECORDS_MOVED,
    `${run} keeps its records as "${memo.pipeline}" in ${locationOf(memo.records)}; ${flags.file} has "${plan.pipeline}" in ${locationOf(plan.records)}.`,
    {
      fix: `Correct the file or its parameters, or: ${pinnedCommand(run, flags)}\nIf the records were moved: renderline run ${shellQuoted(flags.file ?? 'FILE')}`,
      details: { run },
    },
  );
}

/** @throws RenderlineError for flags that would have no effect */
function refuseFlagsBesidePinned(run: string, flags: PlanFlags): void {
  const { file, parameters } = flags;
  if (file === undefined && Object.keys(parameters).length === 0) return;
  throw new RenderlineError(
    commandFailures.USAGE,
    '--with pinned uses the unchanged plan of the run and takes no file and no --param.',
    { fix: `${pinnedCommand(run, flags)}\nor: ${latestCommand(run, flags, file ?? 'FILE')}` },
  );
}

function bothCommands(run: string, flags: PlanFlags, file?: string): string {
  return [
    `With the plan of the run: ${pinnedCommand(run, flags)}`,
    `With the current file: ${latestCommand(run, flags, file)}`,
  ].join('\n');
}

function pinnedCommand(run: string, { failed, where }: PlanFlags): string {
  return rerunCommand(run, { failed, where, with: 'pinned' });
}

function latestCommand(run: string, flags: PlanFlags, file = flags.file): string {
  const { failed, where, parameters } = flags;
  return rerunCommand(run, { file, failed, where, parameters, with: 'latest' });
}
