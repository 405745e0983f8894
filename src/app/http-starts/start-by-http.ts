// Starts a run that another program requested, using the pipeline file as it was applied.

import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { compileText } from '../../compile/compile.ts';
import type { Parameter } from '../../compile/pipeline.ts';
import { validateValue } from '../../compile/yaml/parameters.ts';
import type { Plan } from '../../plan/types.ts';
import type {
  FieldProblem,
  RunPlan,
  RunRequest,
  StartedRun,
} from '../../receiver/runs/messages.ts';
import { RunRequestError } from '../../receiver/runs/run-request-error.ts';
import {
  callWithTimeout,
  ignoreNotFound,
  responseTimeoutMs,
} from '../../temporal/call-with-timeout.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { hasPrivateNames, toTemporalName } from '../../temporal/private-names.ts';
import type { App } from '../app.ts';
import { findWrongChoices } from '../choices/check-choices.ts';
import { assertValid, requirePlan } from '../compile-pipeline.ts';
import { slug } from '../runs/run-id.ts';
import {
  type CompiledPipelineFile,
  isNothingDue,
  previewCompiled,
  startPreviewed,
} from '../runs/start-pipeline.ts';
import { withTemporal } from '../temporal-client.ts';
import type { PausedStarts } from './paused-starts.ts';
import type { StoredStart } from './stored-start.ts';

export interface RequestedStart {
  storedStart: StoredStart;
  taskQueue: string;
  request: RunRequest;
  /** The caller's idempotency key. Null for a dry run without a key. */
  key: string | null;
  /** Name of the variable that contains the caller's credential. */
  caller: string;
  paused: PausedStarts;
}

/**
 * Starts the run, or finds the run that an earlier request with this idempotency key started. Starts no run for a dry
 * run or if there are no assets to process.
 * @throws RunRequestError for what the caller can correct; other errors as `startPipeline` does
 */
export async function startByHttp(app: App, requestedStart: RequestedStart): Promise<StartedRun> {
  const task = (temporal: TemporalConnection) => {
    app.temporal = temporal;
    return startOrFind(app, temporal, requestedStart);
  };
  return withTemporal(app, task, { notesPauses: false });
}

async function startOrFind(
  app: App,
  { client }: TemporalConnection,
  { storedStart, taskQueue, request, key, caller, paused }: RequestedStart,
): Promise<StartedRun> {
  const { pipeline } = storedStart;
  const pipelineName = toTemporalName(hasPrivateNames(client), pipeline);
  const run =
    key === null || request.dryRun ? null : createRequestedRunId(pipelineName, taskQueue, key);
  const fingerprint = fingerprintOf(request);
  const readEarlier = async () => {
    const memo = run === null ? null : await readRequestMemo(client, run);
    return memo && toRepeatedStart(pipeline, run, memo, fingerprint);
  };
  const earlierRun = await readEarlier();
  if (earlierRun !== null) return earlierRun;
  const compiledFile = await compileStored(app, storedStart, request.parameters);
  const { only, dryRun } = request;
  const reason = `by HTTP, with ${caller}`;
  if (run !== null) await paused.refuse(client, taskQueue, { run, pipeline, reason });
  const preview = await previewCompiled(app, compiledFile, { selection: { only }, dryRun, reason });
  const isEmpty = preview.emptyResult !== null || isNothingDue(preview);
  const plan = planOf(preview.plan, preview.emptyResult === null ? preview.chosenPreview : noWork);
  if (run === null || isEmpty) return toStartedRun(pipeline, null, plan);
  const memo = { [requestMemoField]: { fingerprint, plan } satisfies RequestMemo };
  const options = { ...preview.options, request: { run, memo } };
  try {
    await startPreviewed(app, { ...preview, options });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    // Another request with the same idempotency key was faster, perhaps on another receiver, so its run is returned.
    const fasterRun = await readEarlier();
    if (fasterRun === null) throw error;
    return fasterRun;
  }
  return toStartedRun(pipeline, run, plan);
}

/** Compiles the applied text. Its relative paths start at the folder of its file. */
async function compileStored(
  app: App,
  { path, text, channels }: StoredStart,
  parameters: RunRequest['parameters'],
): Promise<CompiledPipelineFile> {
  await app.usePlugins();
  const [file, folder] = [basename(path), dirname(path)];
  const settings = { ...(await app.compileSettings()), cwd: folder, fileFolder: folder, channels };
  const fileResult = compileText(text, file, { ...settings, parameters: null });
  assertValid(app, { ...fileResult, file });
  assertValidParameters(checkParameters(fileResult.pipeline?.parameters ?? {}, parameters));
  const compiledFile = compileText(text, file, { ...settings, parameters });
  assertValidParameters(await findWrongChoices(app, compiledFile, parameters));
  return { ...(await requirePlan(app, { ...compiledFile, file })), path };
}

function assertValidParameters(problems: readonly FieldProblem[]): void {
  if (problems.length === 0) return;
  const errors = problems.map(({ name, message }) => ({ name, message }));
  throw new RunRequestError(400, 'PARAMETERS', 'Some parameters are invalid.', { errors });
}

const noWork = { assets: 0, unchanged: 0, renders: 0, requests: 0, max: false, seconds: 0 };

function planOf({ hash, steps }: Plan, plannedWork: typeof noWork | null): RunPlan {
  return { hash, steps: steps.map(({ id }) => id), work: plannedWork && pickWork(plannedWork) };
}

function pickWork({ assets, unchanged, renders, requests, max, seconds }: typeof noWork) {
  return { assets, unchanged, renders, requests, max, seconds };
}

function toStartedRun(pipeline: string, run: string | null, plan: RunPlan): StartedRun {
  const state = run === null ? null : `/pipelines/${pipeline}/runs/${run}`;
  return { schema: 'renderline/http-run/v1', pipeline, run, state, plan };
}

function toRepeatedStart(
  pipeline: string,
  run: string | null,
  memo: RequestMemo,
  fingerprint: string,
): StartedRun {
  if (memo.fingerprint === fingerprint) return toStartedRun(pipeline, run, memo.plan);
  throw new RunRequestError(
    422,
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key has started a run with different parameters or `only`. Use a new key.',
  );
}

/** Matches a path that starts at a root, a home folder or a drive, or that leads upwards. */
const leadsOut = /^(?:[/\\~]|[A-Za-z]:[/\\])|(?:^|[/\\])\.\.(?:[/\\]|$)/;

/**
 * Returns one entry per unknown, missing or invalid parameter. A path that leads out of a folder is refused, because it
 * may become part of a path. The pipeline file decides which folders are used, never the caller.
 */
export function checkParameters(
  declaredParameters: Readonly<Record<string, Parameter>>,
  givenValues: RunRequest['parameters'],
): FieldProblem[] {
  const parametersByName = new Map(Object.entries(declaredParameters));
  const values = new Map(Object.entries(givenValues));
  const unknownProblems = [...values.keys()].flatMap((name) =>
    parametersByName.has(name)
      ? []
      : { name, message: 'the pipeline has no parameter with this name' },
  );
  const valueProblems = [...parametersByName].flatMap(([name, parameter]): FieldProblem[] => {
    const message = problemOf(values.get(name), parameter);
    return message === null ? [] : [{ name, message }];
  });
  return [...unknownProblems, ...valueProblems];
}

function problemOf(value: unknown, parameter: Parameter): string | null {
  if (value === undefined) return parameter.default === undefined ? 'has no value' : null;
  const validation = validateValue(value, parameter);
  if ('reason' in validation) return validation.reason;
  const isText = parameter.type === 'string' || parameter.type === 'path';
  if (isText && leadsOut.test(String(validation.value))) {
    return 'may not begin with /, \\, ~ or a drive, and may not contain the folder ..';
  }
  return null;
}

const requestMemoField = 'renderlineRequest';

interface RequestMemo {
  /** The same for requests with equal parameters and equal `only`. */
  fingerprint: string;
  plan: RunPlan;
}

const hashParts = (parts: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Hashes the parameters and `only`. The order of the parameters does not affect the hash. */
export function fingerprintOf({ parameters, only }: Omit<RunRequest, 'dryRun'>): string {
  const values = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return hashParts([values, only ?? null]).slice(0, 32);
}

/**
 * Returns the id of the run that a request with this idempotency key starts. Every receiver computes the same id, so
 * Temporal itself refuses to start a second run.
 * @param pipelineName name of the pipeline as Temporal shows it
 */
export function createRequestedRunId(pipelineName: string, taskQueue: string, key: string): string {
  return `${slug(pipelineName)}-http-${hashParts([taskQueue, pipelineName, key]).slice(0, 16)}`;
}

/** Reads the request in the memo of the run. Returns null if the run does not exist, or if no request started it. */
async function readRequestMemo(client: Client, run: string): Promise<RequestMemo | null> {
  const describe = () => client.workflow.getHandle(run).describe().catch(ignoreNotFound);
  const description = await callWithTimeout(client, responseTimeoutMs.usual, describe);
  // The cast is needed because memos are untyped. Only `startByHttp` writes this field.
  return (description?.memo?.[requestMemoField] as RequestMemo | undefined) ?? null;
}
