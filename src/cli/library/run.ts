// `renderline/run`: starts and follows runs, as `renderline run` and `show` do, for programs.
import { resolve } from 'node:path';
import type { Plan, PriorityName } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { processEnvironment } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { connectTemporal, type TemporalConnection } from '../../temporal/connect.ts';
import { compilePipeline } from '../compiled-file.ts';
import { placed, runPlace } from '../run-place.ts';
import { isElsewhere, nothingToDo, refuseAway, refuseExcess } from '../runs/local-run.ts';
import { reportRun } from '../runs/run-report.ts';
import type { RunShape } from '../runs/run-shape.ts';
import { readSnapshot } from '../runs/run-snapshot.ts';
import { startRun } from '../runs/start-run.ts';
import { waitForRun } from '../runs/wait-for-run.ts';
import { Session } from '../session.ts';
import { RenderlineError, told } from './renderline-error.ts';
import { silent } from './silent.ts';

export { RenderlineError };

/** `renderline/run/v1`, as `renderline show --json` prints it. */
export type Run = RunShape;

export interface RunsOptions {
  /** Variables that join Renderline's parts: `TEMPORAL_…`, `RENDERLINE_…`. @default that of the process */
  readonly env?: Environment;
  /** Folder that relative paths begin at, and where `renderline.yaml` is looked for. @default that of the process */
  readonly cwd?: string;
  /** Told what commands tell people on stderr: warnings of a file, the progress of a run. */
  readonly onNote?: (text: string) => void;
}

export interface StartOptions {
  /** Values of the pipeline's parameters, by name. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Work on this host, whose workers have the local folders. */
  readonly host?: string;
  /** How soon its work is taken up, beside other runs. @default by its number of assets */
  readonly priority?: PriorityName;
  /** Compare what looks unchanged by content, also what was delivered. */
  readonly verify?: boolean;
  /** Why, for `renderline audit`. */
  readonly reason?: string;
}

/** Runs of one Temporal namespace. All methods throw RenderlineError. */
export interface Runs {
  /**
   * Starts a run of a pipeline file. A worker carries it out, whether or not this process goes on.
   * @returns its id; null where the source has no file that the pipeline takes
   * @throws RenderlineError INVALID_PIPELINE, LIMIT_EXCEEDED, and what the platform refuses
   */
  start(file: string, options?: StartOptions): Promise<string | null>;
  /** A run as it is now. */
  show(run: string): Promise<Run>;
  /**
   * Follows a run to its end. Failed assets are in the answer, and are no error.
   * @param signal ends the waiting, not the run
   * @throws RenderlineError when it waits for a person, broke before it took anything, or the signal aborts
   */
  wait(run: string, signal?: AbortSignal): Promise<Run>;
  close(): Promise<void>;
}

/** Connects to the Temporal server that the environment names. Starts none. */
export async function openRuns(options: RunsOptions = {}): Promise<Runs> {
  return told(async () => {
    const { env = processEnvironment(), cwd = process.cwd(), onNote = () => {} } = options;
    const session = new Session({ ...silent(onNote), env, cwd, now: Date.now }, true);
    await session.usePlugins();
    const temporal = await connectTemporal({ env, via: 'library' });
    return {
      start: (file, start = {}) => told(() => begin(session, temporal, file, start)),
      show: (run) => told(() => show(temporal, run)),
      wait: (run, signal = new AbortController().signal) =>
        told(async () => (await waitForRun(session, temporal.client, run, signal)).shape),
      close: () => temporal.close(),
    };
  });
}

async function begin(
  session: Session,
  temporal: TemporalConnection,
  file: string,
  { parameters = {}, host, priority, verify, reason }: StartOptions,
): Promise<string | null> {
  const { plan: compiled, limits } = await compilePipeline(session, file, parameters);
  const plan: Plan = { ...compiled, ...withoutUndefined({ host, priority }) };
  if (!isElsewhere(plan)) {
    if ((await nothingToDo(plan)) !== null) return null;
    await refuseExcess(session, plan, limits);
  }
  const place = await runPlace(session);
  await refuseAway(temporal, plan, place.taskQueue);
  return startRun(temporal, placed(plan, place), place.taskQueue, Date.now(), {
    limits,
    path: resolve(session.io.cwd, file),
    ...withoutUndefined({ verify, reason }),
  });
}

async function show({ client }: TemporalConnection, run: string): Promise<Run> {
  return (await reportRun(client, await readSnapshot(client, run))).shape;
}
