// Lists the pipelines of a task queue that a receiver may start, and handles the requests of their callers.
import { readMonotonicMs } from '../../api/clock.ts';
import { CachedList } from '../../engine/discovery/cached-list.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { runFailures } from '../../failures/runs.ts';
import { allPausedCode } from '../../plan/run/general-pause.ts';
import { maxFailures, type RunState } from '../../receiver/runs/messages.ts';
import { RunRequestError, retryLaterError } from '../../receiver/runs/run-request-error.ts';
import type {
  RunRequestHandlerOptions,
  StartablePipeline,
} from '../../receiver/runs/run-request-handler.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import type { App } from '../app.ts';
import { type Explanation, explainError } from '../renderline-error.ts';
import { RequestApp } from '../request-app.ts';
import { readFreshProgress } from '../runs/fresh-progress.ts';
import { pickCounts } from '../runs/run-shape.ts';
import { type RunSnapshot, readRunEnd, readSnapshot } from '../runs/run-snapshot.ts';
import { withTemporal } from '../temporal-client.ts';
import { readCredentials } from './credentials.ts';
import { PausedStarts } from './paused-starts.ts';
import { startByHttp } from './start-by-http.ts';
import { listStoredStarts, type StoredStart } from './stored-start.ts';

export interface HttpStarts extends Pick<RunRequestHandlerOptions, 'find'> {
  /** Names of the pipelines that were read last. Null if they could not be read or have not been read yet. */
  pipelines: () => readonly string[] | null;
  /** Returns the names of the pipelines, and why credentials of some of them cannot be used. */
  list: () => Promise<{ pipelines: string[]; problems: string[] }>;
}

/** Lifetime of the cached list. It delays the effect of `apply`, but limits the requests that strangers can cause. */
const cacheMs = 5_000;
/** Time limit of a request. The request may include computing a plan. */
const maxRequestMs = 120_000;
const retrySeconds = 10;
const pausedRetrySeconds = 60;

export interface HttpStartsOptions {
  app: App;
  taskQueue: string;
  /** Receives errors that are not shown to callers. */
  onError: (explanation: Pick<Explanation, 'code' | 'message' | 'fix'>) => void;
  now?: () => number;
}

export function openHttpStarts(options: HttpStartsOptions): HttpStarts {
  const { app, taskQueue, onError, now = readMonotonicMs } = options;
  const cachedStarts = new CachedList<StoredStart[] | null>(now, cacheMs);
  let pipelineNames: readonly string[] | null = null;
  let isFailing = false;
  const paused = new PausedStarts();

  const read = async (): Promise<StoredStart[] | null> => {
    try {
      const list = ({ client }: TemporalConnection) => listStoredStarts(client, taskQueue);
      const starts = await withTemporal(app, list, { notesPauses: false });
      pipelineNames = starts.map(({ pipeline }) => pipeline);
      isFailing = false;
      return starts;
    } catch (error) {
      pipelineNames = null;
      if (!isFailing) onError(explainError(error));
      isFailing = true;
      return null;
    }
  };
  const list = () => cachedStarts.get(read);
  const serve = async <T>(task: (request: RequestApp) => Promise<T>): Promise<T> => {
    const request = new RequestApp(app, AbortSignal.timeout(maxRequestMs));
    try {
      return await request.complete(() => task(request));
    } catch (error) {
      if (error instanceof RunRequestError) throw error;
      const explanation = explainError(error);
      const { code, fix, message } = explanation;
      const callerError = toCallerError(explanation);
      if (callerError !== null) throw callerError;
      onError({ code, fix, message: [message, ...request.noteLines].join('\n') });
      throw toRefusal(explanation);
    }
  };
  const startable = (storedStart: StoredStart): StartablePipeline => ({
    credentials: readCredentials(storedStart, app.env).credentials,
    perMinute: storedStart.perMinute,
    start: (request, key, caller) =>
      serve((requestApp) =>
        startByHttp(requestApp, { storedStart, taskQueue, request, key, caller, paused }),
      ),
    readState: (run) =>
      serve((requestApp) =>
        readRunState(requestApp, run, { pipeline: storedStart.pipeline, taskQueue }),
      ),
  });
  return {
    pipelines: () => pipelineNames,
    async list() {
      const starts = (await list()) ?? [];
      return {
        pipelines: starts.map(({ pipeline }) => pipeline),
        problems: starts.flatMap((start) => readCredentials(start, app.env).problems),
      };
    },
    async find(pipeline) {
      const starts = await list();
      if (starts === null) throw unavailableError();
      const storedStart = starts.find((start) => start.pipeline === pipeline);
      return storedStart === undefined ? null : startable(storedStart);
    },
  };
}

const unavailableError = () =>
  retryLaterError(503, 'UNAVAILABLE', 'Temporal or the platform does not respond.', retrySeconds);

/** Failures that the caller can correct. Their messages contain only names of assets and what the caller sent. */
const callersFailures: readonly string[] = [
  commandFailures.NOTHING_CHOSEN,
  commandFailures.GLOB,
  runFailures.LIMIT_EXCEEDED,
].map(({ code }) => code);

const laterExits: readonly number[] = [exitCode.unreachable, exitCode.later, exitCode.interrupted];

/** Returns the response to a failure whose message the caller may see. Returns null for other failures. */
function toCallerError({ code, message, fix }: Explanation): RunRequestError | null {
  if (code === commandFailures.RUN_NOT_FOUND.code) {
    return new RunRequestError(404, code, 'The run does not exist in the pipeline.');
  }
  if (callersFailures.includes(code)) return new RunRequestError(422, code, message);
  if (code !== allPausedCode) return null;
  return retryLaterError(503, code, `${message} ${fix}`, pausedRetrySeconds);
}

/** Returns the response to any other failure, without its message. Operators find the message in the log. */
function toRefusal({ code, exit }: Explanation): RunRequestError {
  if (code === commandFailures.INVALID_PIPELINE.code) {
    return new RunRequestError(422, code, 'The pipeline is not valid with these parameters.');
  }
  if (laterExits.includes(exit)) return unavailableError();
  return new RunRequestError(500, code, "See the receiver's log for the reason.");
}

/** Uses only Temporal. @returns null for another pipeline or task queue @throws RenderlineError RUN_NOT_FOUND */
async function readRunState(
  app: App,
  run: string,
  target: { pipeline: string; taskQueue: string },
): Promise<RunState | null> {
  const task = async ({ client }: TemporalConnection) => {
    const snapshot = await readSnapshot(client, run);
    if (snapshot.pipeline !== target.pipeline || snapshot.taskQueue !== target.taskQueue)
      return null;
    if (snapshot.status === 'running') {
      const progress = await readFreshProgress(client, run);
      const outcome = progress?.state === 'paused' ? 'paused' : 'running';
      return toRunState(snapshot, outcome, progress, progress?.totals ?? null);
    }
    const { result, cause, message } = await readRunEnd(client, snapshot);
    const endStatus = snapshot.status === 'completed' ? 'complete' : snapshot.status;
    const runCause =
      cause ?? (result === null && message !== '' ? { code: 'ENDED', message } : null);
    const details = { cause: runCause, failures: result?.failures ?? [] };
    return toRunState(snapshot, result?.outcome ?? endStatus, details, result?.assets ?? null);
  };
  return withTemporal(app, task, { notesPauses: false });
}

function toRunState(
  { run, pipeline, startedAtMs, endedAtMs }: RunSnapshot,
  outcome: RunState['outcome'],
  details: Pick<RunState, 'cause' | 'failures'> | null,
  counts: RunState['assets'],
): RunState {
  const { code = '', message = '' } = details?.cause ?? {};
  const failures = (details?.failures ?? []).slice(0, maxFailures);
  return {
    schema: 'renderline/http-run-state/v1',
    pipeline,
    run,
    outcome,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    assets: counts && pickCounts(counts),
    cause: code === '' ? null : { code, message },
    failures: failures.map(({ key, node, code, message }) => ({ key, node, code, message })),
  };
}
