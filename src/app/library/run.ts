// `renderline/run`: starts and follows runs, as `renderline run` and `show` do.
import { resolve } from 'node:path';
import { Session } from '../../cli/session.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { Plan, PriorityName } from '../../plan/types.ts';
import { processEnvironment } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { connectTemporal, type TemporalConnection } from '../../temporal/connection/connect.ts';
import { compilePipeline } from '../compile-pipeline.ts';
import { RenderlineError, withRenderlineErrors } from '../renderline-error.ts';
import { chooseRunTarget, withWorkspace } from '../run-target.ts';
import { reportRun } from '../runs/run-report.ts';
import type { RunShape } from '../runs/run-shape.ts';
import { readSnapshot } from '../runs/run-snapshot.ts';
import {
  isOnOtherHost,
  refuseExcess,
  refuseMissingHost,
  resultIfNothingToDo,
} from '../runs/start-checks.ts';
import { startRun } from '../runs/start-run.ts';
import { waitForRun } from '../runs/wait-for-run.ts';
import { createSilentStreams } from './silent-streams.ts';

export { RenderlineError };

/** `renderline/run/v1`, the output of `renderline show --json`. */
export type Run = RunShape;

export interface RunsOptions {
  /** Variables such as `TEMPORAL_…` and `RENDERLINE_…`. @default those of the process */
  readonly env?: Environment;
  /** Base folder of relative paths, which may contain `renderline.yaml`. @default working directory of the process */
  readonly cwd?: string;
  /** Receives what commands print on stderr: warnings of a file, the progress of a run. */
  readonly onNote?: (text: string) => void;
}

export interface StartOptions {
  /** Values of the pipeline's parameters, by name. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Run on the workers of this host, which have the local folders. */
  readonly host?: string;
  /** Priority of the run's work beside other runs. @default by the number of assets */
  readonly priority?: PriorityName;
  /** Compare files that look unchanged by content, delivered files too. */
  readonly verify?: boolean;
  /** Reason, shown by `renderline audit`. */
  readonly reason?: string;
}

/** Runs of one Temporal namespace. All methods throw RenderlineError. */
export interface Runs {
  /**
   * Starts a run of a pipeline file. Workers execute the run, also after this process has ended.
   * @returns the run id; null if the source has no matching file
   * @throws RenderlineError INVALID_PIPELINE, LIMIT_EXCEEDED, or an error of the platform
   */
  start(file: string, options?: StartOptions): Promise<string | null>;
  /** The current state of a run. */
  show(run: string): Promise<Run>;
  /**
   * Waits until a run has ended. Failed assets are part of the result and do not throw.
   * @param signal stops waiting; the run goes on
   * @throws RenderlineError if the run waits for a person, failed before it discovered assets, or the signal aborts
   */
  wait(run: string, signal?: AbortSignal): Promise<Run>;
  close(): Promise<void>;
}

/** Connects to the Temporal server that the environment names. Does not start a server. */
export async function openRuns(options: RunsOptions = {}): Promise<Runs> {
  return withRenderlineErrors(async () => {
    const { env = processEnvironment(), cwd = process.cwd(), onNote = () => {} } = options;
    const app = new Session({ ...createSilentStreams(onNote), env, cwd, now: Date.now }, true);
    await app.usePlugins();
    const temporal = await connectTemporal({ env, via: 'library' });
    return {
      start: (file, start = {}) =>
        withRenderlineErrors(() => startFile(app, temporal, file, start)),
      show: (run) => withRenderlineErrors(() => show(temporal, run)),
      wait: (run, signal = new AbortController().signal) =>
        withRenderlineErrors(
          async () => (await waitForRun(app, temporal.client, run, signal)).shape,
        ),
      close: () => temporal.close(),
    };
  });
}

async function startFile(
  app: Session,
  temporal: TemporalConnection,
  file: string,
  { parameters = {}, host, priority, verify, reason }: StartOptions,
): Promise<string | null> {
  const { plan: compiled, limits } = await compilePipeline(app, file, parameters);
  const plan: Plan = { ...compiled, ...withoutUndefined({ host, priority }) };
  if (!isOnOtherHost(plan)) {
    if ((await resultIfNothingToDo(plan)) !== null) return null;
    await refuseExcess(app, plan, limits);
  }
  const place = await chooseRunTarget(app);
  await refuseMissingHost(temporal, plan, place.taskQueue);
  return startRun(temporal, withWorkspace(plan, place), place.taskQueue, Date.now(), {
    limits,
    path: resolve(app.cwd, file),
    ...withoutUndefined({ verify, reason }),
  });
}

async function show({ client }: TemporalConnection, run: string): Promise<Run> {
  return (await reportRun(client, await readSnapshot(client, run))).shape;
}
