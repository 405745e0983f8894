// Serves `POST /pipelines/NAME/runs` and `GET /pipelines/NAME/runs/RUN`: authenticates and limits callers, then acts.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { readMonotonicMs } from '../../api/clock.ts';
import { formatIssue } from '../../api/format-issue.ts';
import { findJsonExcess } from '../../api/responses/bounded-json.ts';
import { allPausedCode } from '../../plan/run/general-pause.ts';
import { readBody } from '../request-body.ts';
import { closing, sendJson } from '../send-json.ts';
import { type Admit, createCallerLimits } from './caller-limits.ts';
import {
  type Credential,
  findCredential,
  hasCredential,
  idempotencyKeyHeader,
} from './credentials.ts';
import {
  maxRequestBytes,
  RunRequest,
  type RunState,
  requestBounds,
  type StartedRun,
} from './messages.ts';
import { notFoundError, RunRequestError, unauthorizedError } from './run-request-error.ts';

/** A pipeline whose runs may be started over HTTP. */
export interface StartablePipeline {
  credentials: readonly Credential[];
  perMinute: number;
  /** @param key idempotency key. Null for a dry run without one */
  start(request: RunRequest, key: string | null, caller: string): Promise<StartedRun>;
  /** Reads the state of a run. Returns null if the pipeline has no such run. */
  readState(run: string): Promise<RunState | null>;
}

export interface RunRequestHandlerOptions {
  /** Finds the pipeline with this name. Returns null if there is none, or if it may not be started. */
  find: (pipeline: string) => Promise<StartablePipeline | null>;
  /** The current time, epoch ms, to compare with the timestamps of callers. */
  now: () => number;
  /** Receives errors that the caller is not shown. */
  onError: (error: unknown) => void;
  /** Monotonic milliseconds for the limits of callers. */
  clock?: () => number;
}

const pathForm =
  /^\/pipelines\/([A-Za-z0-9][A-Za-z0-9._-]{0,62})\/runs(?:\/([A-Za-z0-9][A-Za-z0-9._-]{0,199}))?$/;

/** Number of reads that a caller may send per permitted start, because programs read states more often. */
const readsPerStart = 10;

const noBody = Buffer.alloc(0);

/** True for all paths below /pipelines/. A refusal does not reveal whether the pipeline exists. */
export function isRunPath(target: string): boolean {
  return target.startsWith('/pipelines/');
}

interface RunResponse {
  status: number;
  body: object;
  headers?: Readonly<Record<string, string>>;
}

export class RunRequestHandler {
  readonly counts = {
    started: 0,
    planned: 0,
    read: 0,
    unauthorized: 0,
    /** Number of requests refused for a reason other than the credential, a limit or a pause. */
    refused: 0,
    limited: 0,
    /** Number of requests refused during a general pause. */
    paused: 0,
    failed: 0,
  };
  readonly #options: RunRequestHandlerOptions;
  readonly #admit: Admit;

  constructor(options: RunRequestHandlerOptions) {
    this.#options = options;
    this.#admit = createCallerLimits(options.clock ?? readMonotonicMs);
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, headers } = await this.#respond(request).catch((error: unknown) =>
      this.#refuse(error),
    );
    sendJson(response, status, body, { 'cache-control': 'no-store', ...headers });
  }

  async #respond(request: IncomingMessage): Promise<RunResponse> {
    const target = request.url ?? '';
    const [, pipeline = '', run] = pathForm.exec(target) ?? [];
    const isStart = run === undefined;
    const body = await readRequest(request, isStart);
    const { method = '', headers } = request;
    const startablePipeline = await this.#options.find(pipeline);
    const { credentials = [] } = startablePipeline ?? {};
    const signedRequest = { method, target, headers, body };
    const caller = findCredential(signedRequest, credentials, this.#options.now());
    if (startablePipeline === null || caller === null) throw unauthorizedError();
    const { perMinute } = startablePipeline;
    const name = `${pipeline} ${caller.name}`;
    if (isStart) {
      return this.#admit(name, perMinute, () =>
        this.#start(startablePipeline, request, body, caller),
      );
    }
    return this.#admit(`${name} reads`, perMinute * readsPerStart, async () => {
      const state = await startablePipeline.readState(run);
      if (state === null) throw notFoundError(run);
      this.counts.read += 1;
      return { status: 200, body: state };
    });
  }

  async #start(
    pipeline: StartablePipeline,
    { headers }: IncomingMessage,
    body: Buffer,
    caller: Credential,
  ): Promise<RunResponse> {
    const request = parseRequest(body);
    const key = readKey(headers[idempotencyKeyHeader]);
    if (key === null && !request.dryRun) {
      throw new RunRequestError(
        400,
        'IDEMPOTENCY_KEY_MISSING',
        'Send the header Idempotency-Key: your id for this start, the same in each retry.',
      );
    }
    const startResult = await pipeline.start(request, key, caller.name);
    if (startResult.state === null) {
      this.counts.planned += 1;
      return { status: 200, body: startResult };
    }
    this.counts.started += 1;
    return { status: 202, body: startResult, headers: { location: startResult.state } };
  }

  #refuse(error: unknown): RunResponse {
    const refusal = error instanceof RunRequestError ? error : internalError();
    if (refusal !== error) this.#options.onError(error);
    const { status, problem: body, headers } = refusal;
    this.counts[countOf(refusal)] += 1;
    return { status, body, headers: { 'content-type': 'application/problem+json', ...headers } };
  }
}

function countOf({ status, code }: RunRequestError): keyof RunRequestHandler['counts'] {
  if (code === allPausedCode) return 'paused';
  if (status === 401) return 'unauthorized';
  if (status === 429) return 'limited';
  return status < 500 ? 'refused' : 'failed';
}

const internalError = () =>
  new RunRequestError(500, 'INTERNAL', "See the receiver's log for the reason.");

/** Reads the body, which is empty for GET. @throws RunRequestError 405, 401 or 415 before it reads the body, or 413 */
async function readRequest(request: IncomingMessage, isStart: boolean): Promise<Buffer> {
  const { method, headers } = request;
  const allowedMethod = isStart ? 'POST' : 'GET';
  if (method !== allowedMethod) {
    const refusal = { headers: { allow: allowedMethod, ...closing } };
    throw new RunRequestError(405, 'METHOD', `Use ${allowedMethod} for this path.`, refusal);
  }
  if (!hasCredential(headers)) throw unauthorizedError(closing);
  if (!isStart) return noBody;
  const [type = ''] = (headers['content-type'] ?? '').toLowerCase().split(';', 1);
  if (
    type.trim() !== 'application/json' ||
    (headers['content-encoding'] ?? 'identity') !== 'identity'
  ) {
    throw new RunRequestError(415, 'CONTENT_TYPE', 'Send JSON: Content-Type: application/json.', {
      headers: closing,
    });
  }
  const body = await readBody(request, maxRequestBytes);
  if (body !== null) return body;
  throw new RunRequestError(
    413,
    'BODY_SIZE',
    `The body is too large: at most ${maxRequestBytes} bytes are allowed.`,
    { headers: closing },
  );
}

function parseRequest(body: Buffer): RunRequest {
  const result = RunRequest.safeParse(jsonOf(body));
  if (result.success) return result.data;
  const errors = result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map(unknownFieldProblem)
      : { name: issue.path.join('.'), message: formatIssue(issue) },
  );
  throw invalidBodyError(errors);
}

const unknownFieldProblem = (name: string) => ({ name, message: 'is not a known field' });

function invalidBodyError(errors: readonly { name: string; message: string }[]): RunRequestError {
  return new RunRequestError(400, 'BODY', 'The body is not a valid request for a run.', { errors });
}

function jsonOf(body: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (findJsonExcess(text, requestBounds) !== null) throw invalidBodyError([]);
    return JSON.parse(text, (name, part: unknown) => {
      // This name is refused here, because the schema would ignore it without an error.
      if (name === '__proto__') throw invalidBodyError([unknownFieldProblem(name)]);
      return part;
    });
  } catch (error) {
    if (error instanceof RunRequestError) throw error;
    throw new RunRequestError(400, 'BODY', 'The body is not JSON in UTF-8.');
  }
}

const maxKeyLength = 255;

/** Reads a key in quotes, as in the IETF draft, or bare. Returns null without a header. @throws RunRequestError 400 */
function readKey(header: string | string[] | undefined): string | null {
  if (header === undefined) return null;
  const [, quoted, bare] =
    /^(?:"([\x20\x21\x23-\x5b\x5d-\x7e]+)"|([\x21\x23-\x7e]+))$/.exec(String(header)) ?? [];
  const key = quoted ?? bare;
  if (key !== undefined && key.length <= maxKeyLength) return key;
  throw new RunRequestError(
    400,
    'IDEMPOTENCY_KEY',
    `Idempotency-Key must be 1 to ${maxKeyLength} printable ASCII characters, in quotes or without spaces.`,
  );
}
