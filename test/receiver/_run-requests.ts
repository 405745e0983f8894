// A receiver of the pipelines `shop` and `dam`, whose runs a test fakes, and callers that sign like the how-to.
import { createHmac } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Agent } from 'undici';
import { expect, onTestFinished } from 'vitest';
import { createRunsOpenApi } from '../../scripts/docs/runs-openapi.ts';
import type { Credential } from '../../src/receiver/runs/credentials.ts';
import type { RunState, StartedRun } from '../../src/receiver/runs/messages.ts';
import {
  RunRequestHandler,
  type StartablePipeline,
} from '../../src/receiver/runs/run-request-handler.ts';
import type { ReceiverOptions } from '../../src/receiver/server.ts';
import { receiver } from './_receiver.ts';

export const secret = 's'.repeat(40);
export const newSecret = 'n'.repeat(40);
export const token = 't'.repeat(40);
const ofDam = 'd'.repeat(40);

export const nowMs = Date.UTC(2026, 0, 2);
export const nowSeconds = nowMs / 1_000;
export const path = '/pipelines/shop/runs';

export const started: StartedRun = {
  schema: 'renderline/http-run/v1',
  pipeline: 'shop',
  run: 'shop-http-1',
  state: `${path}/shop-http-1`,
  plan: { hash: 'abc', steps: ['take'], work: null },
};

export const state: RunState = {
  schema: 'renderline/http-run-state/v1',
  pipeline: 'shop',
  run: 'shop-http-1',
  outcome: 'running',
  startedAt: '2026-01-02T00:00:00.000Z',
  endedAt: null,
  assets: { total: 3, complete: 1, failed: 1, skipped: 0 },
  cause: null,
  failures: [{ key: 'a', node: 'shots', code: 'RENDER_FAILED', message: 'x' }],
};

type Work = Pick<StartablePipeline, 'start' | 'readState'>;

export interface Request {
  method?: string;
  path?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A signed request, as the how-to shows it. `from` is signed; the values of `headers` replace the signed ones. */
export function signed(from: Request = {}, key = 'key-1', at = nowSeconds, by = secret): Request {
  const { method = 'POST', path: target = path, body = '{}' } = from;
  const text = Buffer.concat([
    Buffer.from([String(at), method, target, key, ''].join('\n')),
    Buffer.from(body),
  ]);
  return {
    method,
    path: target,
    body,
    headers: {
      'content-type': 'application/json',
      'renderline-timestamp': String(at),
      'renderline-signature': `v1=${createHmac('sha256', by).update(text).digest('hex')}`,
      ...(key === '' ? {} : { 'idempotency-key': key }),
    },
  };
}

export const bearer = (by = token, key = 'key-1'): Record<string, string> => ({
  'content-type': 'application/json',
  authorization: `Bearer ${by}`,
  ...(key === '' ? {} : { 'idempotency-key': key }),
});

export async function runReceiver(
  work: Partial<Work> & { perMinute?: number } = {},
  more: Partial<ReceiverOptions> = {},
) {
  const { perMinute = 1_000, ...own } = work;
  const errors: unknown[] = [];
  const starts: Parameters<Work['start']>[] = [];
  const clock = { ms: 0 };
  const startable = (credentials: readonly Credential[]): StartablePipeline => ({
    credentials,
    perMinute,
    async start(...wanted) {
      starts.push(wanted);
      return own.start?.(...wanted) ?? started;
    },
    readState: own.readState ?? (async (run) => (run === state.run ? state : null)),
  });
  const pipelines = new Map([
    [
      'shop',
      startable([
        { kind: 'secret', name: 'RENDERLINE_SECRET_SHOP', value: secret },
        { kind: 'secret', name: 'RENDERLINE_SECRET_SHOP_NEW', value: newSecret },
        { kind: 'token', name: 'RENDERLINE_SECRET_TOKEN', value: token },
      ]),
    ],
    ['dam', startable([{ kind: 'token', name: 'RENDERLINE_SECRET_DAM', value: ofDam }])],
    ['closed', startable([])],
  ]);
  const handler = new RunRequestHandler({
    find: async (name) => pipelines.get(name) ?? null,
    now: () => nowMs,
    clock: () => clock.ms,
    onError: (error) => errors.push(error),
  });
  const running = await receiver({ runs: { handler, pipelines: () => 3 }, ...more });
  const agent = new Agent({ connections: 100 });
  onTestFinished(() => agent.destroy());
  /** Sends the path as it is, without resolving dots. */
  const ask = async ({
    method = 'POST',
    path: target = path,
    body = '{}',
    headers = {},
  }: Request) => {
    const {
      statusCode,
      headers: came,
      body: rest,
    } = await agent.request({
      origin: running.origin,
      path: target,
      method: method as 'POST',
      headers,
      ...(method === 'GET' ? {} : { body }),
    });
    const answer: Answer = { status: statusCode, headers: came, text: await rest.text() };
    assertDescribed(method === 'GET' ? 'readRun' : 'startRun', answer);
    return answer;
  };
  return { ...running, runs: handler, ask, errors, starts, clock };
}

export const codeOf = ({ text }: Answer) => (JSON.parse(text) as { code?: string }).code;

const description = createRunsOpenApi();
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...description, $id: 'runs' });

const described: Readonly<Record<string, { responses: Record<string, { content: object }> }>> = {
  startRun: description.paths['/pipelines/{pipeline}/runs'].post,
  readRun: description.paths['/pipelines/{pipeline}/runs/{run}'].get,
};

/** Statuses that a client never gets for the requests of the description. */
const undescribed = new Set([404, 405]);

/** Fails unless the OpenAPI document describes this response. */
export function assertDescribed(
  operation: 'startRun' | 'readRun',
  { status, headers, text }: Answer,
) {
  const type = String(headers['content-type']);
  const body: unknown = JSON.parse(text);
  const content = described[operation]?.responses[status]?.content;
  if (content === undefined) expect([...undescribed], text).toContain(status);
  else expect(Object.keys(content)).toEqual([type]);
  const schema =
    status < 300 ? { startRun: 'StartedRun', readRun: 'RunState' }[operation] : 'Problem';
  const validate = ajv.compile({ $ref: `runs#/components/schemas/${schema}` });
  expect(validate(body), `${text} ${JSON.stringify(validate.errors)}`).toBe(true);
}
