// Runs of a round, started and asked about as a person does it: through commands.
import { setTimeout as delay } from 'node:timers/promises';
import type { ShownRun } from './check/evidence.ts';
import { type Finished, runCommand } from './command.ts';
import type { PipelinePlan } from './plan.ts';
import type { Env } from './program.ts';
import { placesOf } from './sources.ts';

/** A run as `runs --json` lists it. */
export interface ListedRun {
  run: string;
  pipeline: string;
  state: string;
}

export interface Commands {
  /** `renderline ARGS --json` */
  run(...args: string[]): Promise<Finished>;
  list(): Promise<ListedRun[]>;
  /** `run FILE` with the parameters of this pipeline. */
  start(pipeline: PipelinePlan, ...more: string[]): Promise<Finished>;
}

/** @param folder of the round; no settings file of somebody else is found from there. */
export function commandsOf(folder: string, env: Env): Commands {
  const run = (...args: string[]) => runCommand([...args, '--json'], { env, cwd: folder });
  return {
    run,
    async list() {
      const { code, stdout, stderr } = await run('runs');
      if (code !== 0) throw new Error(`runs ended with ${code}: ${stdout}${stderr}`);
      return (JSON.parse(stdout) as { runs: ListedRun[] }).runs;
    },
    start(pipeline, ...more) {
      const places = placesOf(folder, pipeline);
      const parameters = ['--param', `folder=${places.folder}`, '--param', `out=${places.out}`];
      return run('run', places.file, ...parameters, ...more);
    },
  };
}

/** Brings every pipeline to its end and gives the reports of all runs; what stands in the way is told. */
export async function endAll(commands: Commands, pipelines: readonly PipelinePlan[]) {
  const problems = await Promise.all(pipelines.map((one) => bringToEnd(commands, one)));
  const unfinished = problems.filter((problem) => problem !== null);
  const listed = await commands.list();
  const runs: ShownRun[] = [];
  for (const { run } of listed) {
    const { stdout } = await commands.run('show', run);
    const shown = JSON.parse(stdout) as ShownRun & { schema: string };
    if (shown.schema === 'renderline/run/v1') runs.push(shown);
    else unfinished.push(`${run} is not shown: ${stdout}`);
  }
  return { unfinished, runs, open: listed.filter(isOpen).map(({ run }) => run) };
}

function isOpen({ state }: ListedRun): boolean {
  return state === 'running' || state === 'paused';
}

/** Many times more than good weather takes. */
const mostTurns = 6;
/** Before somebody looks again at what another run has. */
const takenMs = 2_000;

/**
 * Brings a pipeline to its end in good weather: lets its open runs end, then runs it until nothing is left.
 * @returns null, or what stands in the way after many turns
 */
async function bringToEnd(commands: Commands, pipeline: PipelinePlan): Promise<string | null> {
  let last: Finished | null = null;
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const newest = await endOpenRuns(commands, pipeline);
    const unfinished = newest !== null && newest.state !== 'complete';
    // What a rerun has left, if anything, the next turn takes.
    if (turn === 0 && pipeline.redo === 'rerun' && unfinished) {
      await commands.run('rerun', newest.run, '--with', 'pinned', '--yes', '--wait');
    }
    last = await commands.start(pipeline, '--wait');
    if (last.code === 0 && !isTaken(last)) return null;
    await delay(takenMs);
  }
  return `${pipeline.name} did not come to its end: ${last?.stdout}${last?.stderr}`;
}

/** True where a run has left assets to another one: shards of a run that was ended clean up after it. */
function isTaken({ stdout }: Finished): boolean {
  const { assets } = JSON.parse(stdout) as Pick<ShownRun, 'assets'>;
  return assets.skipped > assets.unchanged;
}

/** Waits for all that goes on, and lets go on what is paused; gives the newest run. */
async function endOpenRuns(commands: Commands, { name }: PipelinePlan): Promise<ListedRun | null> {
  for (let turn = 0; ; turn += 1) {
    const runs = (await commands.list()).filter(({ pipeline }) => pipeline === name);
    const going = runs.filter(isOpen);
    if (going.length === 0 || turn === mostTurns) return runs[0] ?? null;
    for (const { run, state } of going) {
      if (state === 'paused') await commands.run('resume', run);
      await commands.run('show', run, '--wait');
    }
  }
}

/** A run of the pipeline that goes on, null where there is none, or nobody can say. */
export async function runningOf(
  commands: Commands,
  { name }: Pick<PipelinePlan, 'name'>,
): Promise<string | null> {
  const runs = await commands.list().catch(() => []);
  return runs.find(({ pipeline, state }) => pipeline === name && state === 'running')?.run ?? null;
}
