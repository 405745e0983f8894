// Fault rules over real connections: the responses to the client, and the effects in the sandbox.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunningSandbox } from '../../../../src/sandbox/interface.ts';
import { type FaultRule, Faults } from '../../src/faults/faults.ts';
import { SandboxOptionError } from '../../src/options.ts';
import { createSandboxApp } from '../../src/server/app.ts';
import { startSandbox } from '../../src/server/server.ts';

let sandbox: RunningSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 5, pictureScale: 0 });
});
afterAll(() => sandbox.stop());
beforeEach(() => control('/reset', {}));

async function control(path: string, body: unknown): Promise<void> {
  const response = await fetch(`${sandbox.origin}/_sandbox${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

const faults = (...rules: FaultRule[]) => control('/faults', rules);

function call(path: string, body?: unknown): Promise<Response> {
  return fetch(`${sandbox.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(10_000),
  });
}

const create = () => call('/models', { models: [{ fileType: 'glb' }] });

async function made(): Promise<number> {
  const response = await fetch(`${sandbox.origin}/_sandbox/stats`);
  return ((await response.json()) as { created: { models: number } }).created.models;
}

describe('the effect of a rule', () => {
  test.each([
    [{ status: 503 }, 503, 'INTERNAL_ERROR'],
    [{ status: 403 }, 403, 'GEO_RESTRICTED'],
    [{ status: 403, code: 'PLAN_LIMIT_REACHED' }, 403, 'PLAN_LIMIT_REACHED'],
    [{ rateLimited: true } as const, 429, 'RATE_LIMITED'],
  ])('a rule with %j responds instead of doing the work', async (effect, status, code) => {
    await faults({ match: 'createModels', do: effect });
    const answer = await create();
    expect([answer.status, await answer.json()]).toMatchObject([status, { error: { code } }]);
    expect(answer.headers.has('retry-after')).toBe(status === 429);
    expect(await made()).toBe(0);
  });

  test('a rule with `reset: before` closes the connection without doing the work', async () => {
    await faults({ match: 'createModels', do: { reset: 'before' } });
    await expect(create()).rejects.toThrow();
    expect(await made()).toBe(0);
  });

  test('a rule with `reset: after` closes the connection after the work', async () => {
    await faults({ match: 'createModels', do: { reset: 'after' } });
    await expect(create()).rejects.toThrow();
    expect(await made()).toBe(1);
  });

  test('a rule with commitThenStatus does the work and responds with an error', async () => {
    await faults({ match: 'createModels', do: { commitThenStatus: 502 } });
    expect((await create()).status).toBe(502);
    expect(await made()).toBe(1);
  });

  const answered = (key: string) =>
    fetch(`${sandbox.url}/models`, {
      method: 'POST',
      headers: {
        'x-api-key': sandbox.apiKey,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ models: [{ fileType: 'glb' }] }),
    }).then(
      async (answer) => {
        const text = await answer.text();
        return text.endsWith('}') ? String(answer.status) : 'cut';
      },
      () => 'broken',
    );

  test.each([
    ['reset after', { reset: 'after' }, 'broken', 1],
    ['reset after, forgotten', { reset: 'after', kept: false }, 'broken', 2],
    ['a server error', { commitThenStatus: 500 }, '500', 2],
    ['a gateway that fails', { commitThenStatus: 502, kept: true }, '502', 1],
    ['half an answer', { truncate: true }, 'cut', 1],
    ['half an answer, forgotten', { truncate: true, kept: false }, 'cut', 2],
  ] as const)(
    'a repeat with the same key gets the kept response, or repeats the work, after the fault "%s"',
    async (...row) => {
      const [name, effect, first, models] = row;
      await faults({ match: 'createModels', nth: 1, do: effect });
      expect([await answered(name), await answered(name)]).toEqual([first, '201']);
      expect(await made()).toBe(models);
    },
  );

  test('a rule with leaveOut does the work, but omits items from the response', async () => {
    await faults({ match: 'createModels', do: { leaveOut: 2 } });
    const three = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    const answer = await call('/models', { models: three.map((m) => ({ ...m, fileType: 'glb' })) });
    expect(await answer.json()).toMatchObject({ models: [{ name: 'a' }] });
    expect(await made()).toBe(3);
  });

  test('an upload rule refuses files by name', async () => {
    await faults({ upload: 'bad-*', do: { status: 403 } });
    const body = { models: ['bad-1', 'good'].map((name) => ({ name, fileType: 'glb' })) };
    const { models } = (await (await call('/models', body)).json()) as {
      models: { uploadUrl: string }[];
    };
    const puts = models.map(({ uploadUrl }) => fetch(uploadUrl, { method: 'PUT', body: 'x' }));
    expect((await Promise.all(puts)).map(({ status }) => status)).toEqual([403, 200]);
  });

  test('a rule with delayMs delays the response before or after the work', async () => {
    for (const before of [true, false]) {
      await faults({ match: 'createModels', do: { delayMs: 40, before } });
      const since = performance.now();
      expect((await create()).status).toBe(201);
      expect(performance.now() - since).toBeGreaterThanOrEqual(39);
    }
  });

  test('a rule with trickleBytesPerSecond slowly sends the whole response', async () => {
    await faults({ match: 'getMe', do: { trickleBytesPerSecond: 4000 } });
    const answer = await call('/me');
    expect(await answer.json()).toHaveProperty('workspace');
  });

  test('a rule with body replaces the response with the given text', async () => {
    await faults({ match: 'getMe', do: { body: '<html>busy</html>', contentType: 'text/html' } });
    const answer = await call('/me');
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
      'text/html',
      '<html>busy</html>',
    ]);
  });
});

describe('the requests to which a rule applies', () => {
  const statuses = async (rule: Omit<Extract<FaultRule, { match: string }>, 'match' | 'do'>) => {
    await faults({ match: 'getMe', ...rule, do: { status: 500 } });
    const seen: number[] = [];
    for (let request = 0; request < 6; request += 1) seen.push((await call('/me')).status);
    return seen.map((status) => status === 500);
  };
  const yes = true;
  const no = false;

  test.each([
    [{}, [yes, yes, yes, yes, yes, yes]],
    [{ nth: 2 }, [no, yes, no, no, no, no]],
    [{ every: 3 }, [no, no, yes, no, no, yes]],
    [{ times: 2 }, [yes, yes, no, no, no, no]],
    [{ every: 2, times: 2 }, [no, yes, no, yes, no, no]],
    [{ probability: 0 }, [no, no, no, no, no, no]],
    [{ probability: 1 }, [yes, yes, yes, yes, yes, yes]],
  ])('the rule %j applies to six requests: %j', async (rule, expected) => {
    expect(await statuses(rule)).toEqual(expected);
  });

  test('a rule with a probability applies to the same requests for the same seed', () => {
    const hits = (seed: number) => {
      const rules = new Faults(seed, [{ match: 'getMe', probability: 0.5, do: { status: 500 } }]);
      return Array.from(
        { length: 200 },
        () => rules.requestFault('getMe', 'GET', '/me') !== undefined,
      );
    };
    expect(hits(1)).toEqual(hits(1));
    expect(hits(1)).not.toEqual(hits(2));
    const share = hits(1).filter(Boolean).length / 200;
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.65);
  });

  test.each([
    ['getModel', 'GET', '/models/a', true],
    ['GET /models/*', 'GET', '/models/a', true],
    ['* /models/*', 'GET', '/models/a', true],
    ['GET /models/*', 'GET', '/models/a/download', false],
    ['GET /models/**', 'GET', '/models/a/download', true],
    ['POST /models/*', 'GET', '/models/a', false],
    ['getModels', 'GET', '/models/a', false],
  ])('the match "%s" applied to %s on %s: %s', (match, method, path, hit) => {
    const rules = new Faults(1, [{ match, do: { status: 500 } }]);
    expect(rules.requestFault('getModel', method, path) !== undefined).toBe(hit);
  });

  test('model and render rules apply by name', () => {
    const rules = new Faults(1, [
      { model: 'bad-*', do: { failure: 'rotten' } },
      { model: '*', do: { durationMs: 0 } },
      { render: 'bad-*', nth: 2, do: { failure: 'burnt' } },
    ]);
    expect(rules.faultFor('model', 'bad-1')).toEqual({ failure: 'rotten', durationMs: 0 });
    expect(rules.faultFor('model', 'good')).toEqual({ durationMs: 0 });
    expect(rules.faultFor('render', 'bad-1')).toEqual({});
    expect(rules.faultFor('render', 'bad-1')).toEqual({ failure: 'burnt' });
  });
});

describe('rules from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'renderline-faults-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('rules from a file apply from the start', async () => {
    const faultFile = join(folder, 'faults.json');
    writeFileSync(faultFile, JSON.stringify([{ match: 'getMe', do: { status: 500 } }]));
    const { app, apiKey, close } = createSandboxApp({ faults: faultFile });
    const answer = await app.request('/api/v1/me', { headers: { 'x-api-key': apiKey } });
    expect(answer.status).toBe(500);
    await close();
  });

  test.each([
    [
      'with a wrong value',
      JSON.stringify([{ match: 'getMe', do: { status: 7 } }]),
      'the fault rules are invalid: [0].do.status: ',
    ],
    [
      'with a wrong field',
      JSON.stringify([{ match: 'getMe', effect: 1 }]),
      'the fault rules are invalid: [0].do: ',
    ],
    ['that are not JSON', '- match: getMe', 'not a readable JSON file: '],
    [
      'in a file that does not exist',
      undefined,
      'not a readable JSON file: no such file or directory',
    ],
  ])(
    'rules %s prevent the start, with an error that contains the option',
    (_title, text, reason) => {
      const faultFile = join(folder, 'wrong.json');
      rmSync(faultFile, { force: true });
      if (text !== undefined) writeFileSync(faultFile, text);
      const start = () => createSandboxApp({ faults: faultFile });
      expect(start).toThrow(SandboxOptionError);
      expect(start).toThrow(`--faults ${faultFile}: ${reason}`);
    },
  );
});
