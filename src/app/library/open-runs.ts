// `renderline/run`: starts and follows runs, as `renderline run` and `show` do.
import { removeControls } from '../../api/responses/plain-text.ts';
import { readRange } from '../../plan/helpers/lazy-list.ts';
import type { PriorityName } from '../../plan/types.ts';
import { processEnvironment } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { App } from '../app.ts';
import { closeNames } from '../choices/name-context.ts';
import { RenderlineError, withRenderlineErrors } from '../renderline-error.ts';
import { createLineProgress } from '../runs/progress-report.ts';
import type { RunShape } from '../runs/run-shape.ts';
import { type ShownRun, showRun } from '../runs/show-run.ts';
import { startPipeline } from '../runs/start-pipeline.ts';

export { RenderlineError };

/** `renderline/run/v1`, the output of `renderline show --json`. */
export type Run = RunShape;

export interface RunsOptions {
  /** Variables such as `TEMPORAL_…` and `RENDERLINE_…`. @default those of the process */
  readonly env?: Environment;
  /** Base folder of relative paths, which may contain `renderline.yaml`. @default working directory of the process */
  readonly cwd?: string;
  /** Receives what commands print on stderr: warnings about a file, and the progress of a run. */
  readonly onNote?: (text: string) => void;
}

/** Options of `Runs.start`. They are not derived from `startPipeline`, whose types depend on Temporal's client. */
export interface StartOptions {
  /** Values of the pipeline's parameters, by name. */
  readonly parameters?: Readonly<Record<string, string | number | boolean>>;
  /** Run on the workers of this host, which have the local folders. */
  readonly host?: string;
  /** Priority of the run's work relative to other runs. @default by the number of assets */
  readonly priority?: PriorityName;
  /** Compare source and delivered files by content, even if they appear unchanged. */
  readonly verify?: boolean;
  /** Reason, shown by `renderline audit`. */
  readonly reason?: string;
}

/** Runs of one Temporal namespace. Errors of `start`, `show` and `wait` are RenderlineErrors. */
export interface Runs {
  /**
   * Starts a run of a pipeline file. Workers execute the run, even after this process has ended.
   * @returns the run id, or null if the source contains no matching file
   * @throws RenderlineError, for example INVALID_PIPELINE or LIMIT_EXCEEDED, or with the code of a platform error
   */
  start(file: string, options?: StartOptions): Promise<string | null>;
  /** Returns the current state of a run. */
  show(run: string): Promise<Run>;
  /**
   * Waits until a run has ended. Failed assets are part of the result and do not throw.
   * @param signal stops the waiting. The run continues
   * @throws RenderlineError if the run pauses, waits only for people, has no worker, or stops before it processes any
   * asset; if Temporal is unreachable for long; or if the signal aborts
   */
  wait(run: string, signal?: AbortSignal): Promise<Run>;
  close(): Promise<void>;
}

async function toRun({ shape }: ShownRun): Promise<Run> {
  const lists = { files: await readRange(shape.files), results: await readRange(shape.results) };
  return { ...shape, ...lists };
}

/** Connects to the Temporal server that the environment specifies. Does not start a server. */
export async function openRuns(options: RunsOptions = {}): Promise<Runs> {
  return withRenderlineErrors(async () => {
    const { env = processEnvironment(), cwd = process.cwd(), onNote = () => {} } = options;
    const note = (text: string) => onNote(text.split('\n').map(removeControls).join('\n'));
    const app = new App({ env, cwd, onNote: note });
    await app.usePlugins();
    const temporal = await connectTemporal({ env, via: 'library' });
    app.temporal = temporal;
    return {
      start: (file, { parameters, host, priority, verify, reason } = {}) =>
        withRenderlineErrors(async () => {
          const start = { parameters, host, priority, verify, reason };
          return (await startPipeline(app, file, start)).shape.run ?? null;
        }),
      show: (run) => withRenderlineErrors(async () => toRun(await showRun(app, run))),
      wait: (run, signal = new AbortController().signal) =>
        withRenderlineErrors(async () => {
          const progress = createLineProgress(note, () => app.now());
          const follow = { leave: () => signal, progress };
          return toRun(await showRun(app, run, { follow }));
        }),
      close: async () => {
        await closeNames(app);
        await temporal.close();
      },
    };
  });
}
