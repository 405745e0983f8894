// Starts and inspects the runs of a round through the CLI, as a person does.
import { setTimeout as delay } from 'node:timers/promises';
import type { ShownRun } from './check/evidence.ts';
import { type CommandResult, runCommand } from './command.ts';
import type { PipelinePlan } from './plan.ts';
import type { Env } from './program.ts';
import { pipelinePaths } from './sources.ts';

/** A run as `runs --json` lists it. */
export interface ListedRun {
  run: string;
  pipeline: string;
  state: string;
}

export interface Commands {
  /** Runs `renderline ARGS --json`. */
  run(...args: string[]): Promise<CommandResult>;
  list(): Promise<ListedRun[]>;
  /** Runs `renderline run FILE` with the parameters of this pipeline. */
  start(pipeline: PipelinePlan, ...extraArgs: string[]): Promise<CommandResult>;
}

/**
 * Creates the commands. @param folder folder of the round, which is the working directory. No folder above it has
 * settings files
 */
export function createCommands(folder: string, env: Env): Commands {
  const run = (...args: string[]) => runCommand([...args, '--json'], { env, cwd: folder });
  return {
    run,
    async list() {
      const { code, stdout, stderr } = await run('runs');
      if (code !== 0) throw new Error(`runs ended with ${code}: ${stdout}${stderr}`);
      return (JSON.parse(stdout) as { runs: ListedRun[] }).runs;
    },
    start(pipeline, ...extraArgs) {
      const paths = pipelinePaths(folder, pipeline);
      const parameters = ['--param', `folder=${paths.folder}`, '--param', `out=${paths.out}`];
      return run('run', paths.file, ...parameters, ...extraArgs);
    },
  };
}

/** Completes every pipeline. @returns the reports of all runs, and descriptions of everything that is incomplete */
export async function finishAll(commands: Commands, pipelines: readonly PipelinePlan[]) {
  const problems = await Promise.all(
    pipelines.map((pipeline) => finishPipeline(commands, pipeline)),
  );
  const unfinished = problems.filter((problem) => problem !== null);
  const listedRuns = await commands.list();
  const runs: ShownRun[] = [];
  for (const { run } of listedRuns) {
    const { stdout } = await commands.run('show', run);
    const shownRun = JSON.parse(stdout) as ShownRun & { schema: string };
    if (shownRun.schema === 'renderline/run/v1') runs.push(shownRun);
    else unfinished.push(`${run} is not shown: ${stdout}`);
  }
  return { unfinished, runs, openRuns: listedRuns.filter(isOpen).map(({ run }) => run) };
}

function isOpen({ state }: ListedRun): boolean {
  return state === 'running' || state === 'paused';
}

/** Maximum number of attempts to complete a pipeline. Without faults, far fewer are needed. */
const maxTurns = 6;
/** Delay before the next attempt to process assets that another run holds. */
const retryDelayMs = 2_000;

/**
 * Completes a pipeline without faults. Finishes its open runs, then starts runs until no asset is left.
 * @returns null, or why the pipeline is incomplete after the last turn
 */
async function finishPipeline(commands: Commands, pipeline: PipelinePlan): Promise<string | null> {
  let last: CommandResult | null = null;
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const newestRun = await finishOpenRuns(commands, pipeline);
    const unfinished = newestRun !== null && newestRun.state !== 'complete';
    // The run that follows processes the assets that the rerun leaves.
    if (turn === 0 && pipeline.completeWith === 'rerun' && unfinished) {
      await commands.run('rerun', newestRun.run, '--with', 'pinned', '--yes', '--wait');
    }
    last = await commands.start(pipeline, '--wait');
    if (last.code === 0 && !hasSkippedAssets(last)) return null;
    await delay(retryDelayMs);
  }
  return `${pipeline.name} did not complete: ${last?.stdout}${last?.stderr}`;
}

/** True if the run skipped assets that another run holds, because shards of a stopped run may still be cleaning up. */
function hasSkippedAssets({ stdout }: CommandResult): boolean {
  const { assets } = JSON.parse(stdout) as Pick<ShownRun, 'assets'>;
  return assets.skipped > assets.unchanged;
}

/** Waits for all open runs and resumes paused ones. Returns the newest run. */
async function finishOpenRuns(
  commands: Commands,
  { name }: PipelinePlan,
): Promise<ListedRun | null> {
  for (let turn = 0; ; turn += 1) {
    const runs = (await commands.list()).filter(({ pipeline }) => pipeline === name);
    const openRuns = runs.filter(isOpen);
    if (openRuns.length === 0 || turn === maxTurns) return runs[0] ?? null;
    for (const { run, state } of openRuns) {
      if (state === 'paused') await commands.run('resume', run);
      await commands.run('show', run, '--wait');
    }
  }
}

/** Returns the id of a running run of the pipeline, or null if there is none, or if the list cannot be read. */
export async function findRunningRun(
  commands: Commands,
  { name }: Pick<PipelinePlan, 'name'>,
): Promise<string | null> {
  const runs = await commands.list().catch(() => []);
  return runs.find(({ pipeline, state }) => pipeline === name && state === 'running')?.run ?? null;
}
