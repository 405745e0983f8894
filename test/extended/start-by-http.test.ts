// Other programs start runs by HTTP, on a real server with a sandbox: as the how-to shows, once per key even after
// kill -9, and with no secret in a history, schedule or log.
import { execFile } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import type { AuditEntry } from '../../src/plan/contract/audit-contract.ts';
import type { Problem, RunState, StartedRun } from '../../src/receiver/runs/messages.ts';
import { assertDescribed } from '../receiver/_run-requests.ts';
import { allHistories, everythingIn, withClient } from '../system/_histories.ts';
import { runInProcess } from '../system/_in-process.ts';
import { writeModels } from '../system/_models.ts';
import { nodesToTemplate, useProduct } from '../system/_runs.ts';
import {
  type Env,
  type RunningProcess,
  start,
  tempFolder,
  useProcesses,
  waitUntil,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

useProcesses();
const product = useProduct(useTemporal());
const [secret, next, token] = [1, 2, 3].map(() => randomBytes(32).toString('hex')) as [
  string,
  string,
  string,
];

const pipeline = `name: shop
parameters:
  season: { type: string, pattern: "[A-Z0-9/]+" }
connectors:
  models: { type: local, path: models }
  pictures: { type: local, path: pictures }
${nodesToTemplate}  - id: shots
    type: render
    parentIds: [look]
    config: { settings: { renderShots: false, renderVariants: false } }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "\${{ params.season }}/{{ key }}.{{ ext }}" }
`;
const startFields = `start:
  http:
    secretFrom: [RENDERLINE_SECRET_SHOP, RENDERLINE_SECRET_NEXT]
    tokenFrom: RENDERLINE_SECRET_TOKEN
    perMinute: 1000
`;

let root: string;
let file: string;
let env: Env;
let receiver: RunningProcess;
let base: string;
/** Receivers whose output is checked for secrets at the end. */
const receivers: RunningProcess[] = [];

beforeAll(async () => {
  root = await tempFolder('start-by-http');
  file = join(root, 'shop.yaml');
  await mkdir(join(root, 'models'));
  await writeModels(join(root, 'models'), ['chair', 'table']);
  await writeFile(file, pipeline + startFields);
  env = {
    ...product.env,
    RENDERLINE_WEBHOOK_SECRET: 'whsec_test',
    RENDERLINE_SECRET_SHOP: secret,
    RENDERLINE_SECRET_NEXT: next,
    RENDERLINE_SECRET_TOKEN: token,
    RENDERLINE_LOG: 'debug',
  };
  const applied = await runInProcess(['apply', file, '--json'], env);
  expect(JSON.parse(applied.stdout)).toMatchObject({
    httpStarts: [{ pipeline: 'shop', change: 'create' }],
  });
  [receiver, base] = await receive();
});

async function receive(): Promise<[RunningProcess, string]> {
  const started = start(['webhooks', '--port', '0', '--allow-runs', '--json'], env);
  receivers.push(started);
  await started.waitForOutput('}');
  const { runs } = JSON.parse(started.stdout()) as { runs: { url: string } };
  const { origin } = new URL(runs.url);
  // The list of schedules in Temporal may lag by some seconds.
  await waitUntil('the pipeline is known', async () => {
    const { status } = await ask({ dryRun: true, parameters: { season: 'SS26' } }, '', origin);
    return status === 200;
  });
  return [started, origin];
}

interface Answer<Body> {
  status: number;
  body: Body;
}

async function described<Body>(operation: 'startRun' | 'readRun', response: Response) {
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  assertDescribed(operation, { status: response.status, headers, text });
  return { status: response.status, body: JSON.parse(text) as Body };
}

/** Starts a run as the how-to shows. */
async function ask<Body = StartedRun>(
  wanted: object,
  key: string,
  at = base,
  by = secret,
): Promise<Answer<Body>> {
  const path = '/pipelines/shop/runs';
  const body = JSON.stringify(wanted);
  const now = String(Math.floor(Date.now() / 1_000));
  const signed = [now, 'POST', path, key, body].join('\n');
  const headers = {
    'content-type': 'application/json',
    'renderline-timestamp': now,
    'renderline-signature': `v1=${createHmac('sha256', by).update(signed).digest('hex')}`,
    ...(key === '' ? {} : { 'idempotency-key': key }),
  };
  return described<Body>('startRun', await fetch(at + path, { method: 'POST', body, headers }));
}

async function readState(path: string, by = token): Promise<Answer<RunState>> {
  const headers = { authorization: `Bearer ${by}` };
  return described<RunState>('readRun', await fetch(base + path, { headers }));
}

const requestedRuns = async () =>
  (await allHistories(product.env, 'shop-http-')).filter(({ workflowId }) =>
    /^shop-http-[0-9a-f]{16}$/.test(workflowId),
  );

const season = { parameters: { season: 'SS26' } };

test("curl with openssl, Node and Python start the same run with the how-to's code", async () => {
  const page = await readFile('docs/how-to/start-a-run-by-http.md', 'utf8');
  const code = (language: string) =>
    new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';
  const run = async (command: string, ...args: string[]) => {
    const { PATH = '' } = process.env;
    const given = { PATH, BASE: base, KEY: 'order-1', RENDERLINE_SECRET_SHOP: secret };
    return (await promisify(execFile)(command, args, { env: given })).stdout.trim();
  };
  const answers = [
    await run('sh', '-c', code('sh')),
    await run(process.execPath, '--input-type=module', '-e', code('js')),
    await run('python3', '-c', code('python')),
  ].map((text) => JSON.parse(text) as StartedRun);
  const [first] = answers;
  expect(first).toMatchObject({
    pipeline: 'shop',
    run: expect.stringMatching(/^shop-http-/),
    plan: { steps: expect.arrayContaining(['shots']), work: null },
  });
  expect(answers).toEqual([first, first, first]);
  expect(await requestedRuns()).toHaveLength(1);

  const path = first?.state ?? '';
  await waitUntil('the run ends', async () => (await readState(path)).body.endedAt !== null);
  expect((await readState(path)).body).toMatchObject({
    run: first?.run,
    outcome: 'complete',
    assets: { total: 2, complete: 2, failed: 0 },
    cause: null,
    failures: [],
  });
  expect((await readdir(join(root, 'pictures', 'SS26'))).sort()).toHaveLength(2);
  expect(await ask(season, 'order-1')).toEqual({ status: 202, body: first });
});

test.each<[string, object, number, string, object]>([
  [
    'a key that was used for another request',
    { parameters: { season: 'FW26' } },
    422,
    'IDEMPOTENCY_KEY_REUSED',
    {},
  ],
  [
    'the same key but different assets',
    { ...season, only: ['chair'] },
    422,
    'IDEMPOTENCY_KEY_REUSED',
    {},
  ],
  [
    'an `only` pattern that matches no asset',
    { ...season, only: ['sofa'], dryRun: true },
    422,
    'NOTHING_CHOSEN',
    {},
  ],
  ['an invalid glob', { ...season, only: ['['], dryRun: true }, 422, 'GLOB', {}],
  [
    'a value that leads outside the folder',
    { parameters: { season: '../../etc' }, dryRun: true },
    400,
    'PARAMETERS',
    { errors: [{ name: 'season' }] },
  ],
  [
    'a value that does not match the pattern',
    { parameters: { season: 'ss' }, dryRun: true },
    400,
    'PARAMETERS',
    { errors: [{ name: 'season', message: expect.stringContaining('does not match') }] },
  ],
  [
    'a missing value and an unknown parameter',
    { parameters: { x: 1 }, dryRun: true },
    400,
    'PARAMETERS',
    { errors: [{ name: 'x' }, { name: 'season', message: 'has no value' }] },
  ],
])('a request with %s is refused', async (_what, wanted, status, code, more) => {
  const answer = await ask<Problem>(wanted, 'order-1');
  expect(answer).toMatchObject({ status, body: { code, ...more } });
});

test('a dry run reports what a run would do and does not start one', async () => {
  const before = (await requestedRuns()).length;
  const wanted = { parameters: { season: 'FW26' }, only: ['chair'], dryRun: true };
  const { status, body } = await ask(wanted, '');
  expect([status, body.run, body.plan.work]).toMatchObject([200, null, { assets: 1, renders: 0 }]);
  // No asset has changed, so no run starts and the key stays unused.
  const nothing = await ask({ ...season, only: ['chair'] }, 'order-free');
  expect(nothing).toMatchObject({
    status: 200,
    body: { run: null, plan: { work: { assets: 0 } } },
  });
  expect(await requestedRuns()).toHaveLength(before);
});

test('one key starts one run, whether at two receivers, in parallel requests or after kill -9', async () => {
  const before = await product.sandbox.stats();
  await writeModels(join(root, 'models'), ['lamp']);
  const [, other] = await receive();
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) => ask(season, 'order-2', n % 2 === 0 ? base : other)),
  );
  expect(answers).toEqual(answers.map(() => ({ status: 202, body: answers[0]?.body })));

  const lost = ask(season, 'order-3').catch(() => null);
  await waitUntil('the request is under way', async () => (await requestedRuns()).length === 3);
  await receiver.stop('SIGKILL');
  await lost;
  [receiver, base] = await receive();
  const again = await ask(season, 'order-3', other);
  expect(await ask(season, 'order-3')).toEqual(again);
  expect(await ask(season, 'order-2')).toEqual(answers[0]);
  const ids = (await requestedRuns()).map(({ workflowId }) => workflowId);
  expect(ids.filter((id) => id === again.body.run)).toHaveLength(1);
  expect(new Set(ids).size).toBe(3);
  for (const { body } of [...answers.slice(0, 1), again]) {
    await waitUntil(
      'it ends',
      async () => (await readState(body.state ?? '')).body.endedAt !== null,
    );
  }
  const after = await product.sandbox.stats();
  expect(after.created.models - before.created.models).toBe(1);
});

test('no run starts while everything is paused, and a caller that retries afterwards starts its run', async () => {
  const before = (await requestedRuns()).length;
  await writeModels(join(root, 'models'), ['stool']);
  await runInProcess(['pause', '--all', '--reason', 'wrong colours', '--json'], env);
  const refused = await ask<Problem>(season, 'order-4');
  expect(refused).toMatchObject({ status: 503, body: { code: 'ALL_PAUSED' } });
  expect(refused.body.detail).toMatch(
    /has been paused since .* by .*: wrong colours.*renderline resume --all/,
  );
  expect(await ask(season, 'order-4')).toEqual(refused);
  expect((await ask(season, 'order-5')).status).toBe(503);
  // Requests that start no run are answered, and an invalid value is reported immediately.
  expect((await ask({ ...season, dryRun: true }, '')).status).toBe(200);
  expect((await ask(season, 'order-2')).status).toBe(202);
  expect((await ask({}, 'order-6')).status).toBe(400);
  expect(await requestedRuns()).toHaveLength(before);

  const resumed = await runInProcess(['resume', '--all', '--json'], env);
  expect(JSON.parse(resumed.stdout)).toMatchObject({
    httpStarts: [{ pipeline: 'shop', refused: 2 }],
  });
  const { status, body } = await ask(season, 'order-4');
  expect(status).toBe(202);
  await waitUntil('it ends', async () => (await readState(body.state ?? '')).body.endedAt !== null);
});

test("only callers of a run's own pipeline can read its state", async () => {
  const known = await requestedRuns();
  const path = `/pipelines/shop/runs/${known[0]?.workflowId}`;
  expect((await readState(path)).status).toBe(200);
  expect((await readState(path, secret)).status).toBe(401);
  expect((await readState('/pipelines/shop/runs/shop-http-0000000000000000')).status).toBe(404);
  // A shard is not a run, and the second run is of another pipeline.
  expect((await readState(`/pipelines/shop/runs/${known[0]?.workflowId}.0`)).status).toBe(404);
  await writeFile(join(root, 'other.yaml'), pipeline.replace('name: shop', 'name: other'));
  const ran = await runInProcess(
    ['run', join(root, 'other.yaml'), '--param', 'season=A', '--json'],
    env,
  );
  const { run } = JSON.parse(ran.stdout) as { run: string };
  expect((await readState(`/pipelines/shop/runs/${run}`)).status).toBe(404);
});

test('doctor reports which pipelines can be started over HTTP, and audit reports the secret that started a run', async () => {
  const lacking = { ...product.env, RENDERLINE_SECRET_SHOP: 'short' };
  const { stdout } = await runInProcess(['doctor', '--json'], lacking);
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; state: string; message: string }[];
  };
  const of = checks
    .filter(({ name }) => name === 'http')
    .map(({ state, message }) => `${state} ${message}`);
  expect(of).toEqual([
    'ok pipelines that may be started by HTTP: shop',
    expect.stringMatching(/^warn shop: RENDERLINE_SECRET_SHOP has fewer than 32 characters/),
    expect.stringMatching(/^warn shop: RENDERLINE_SECRET_NEXT is not set/),
    expect.stringMatching(/^warn shop: RENDERLINE_SECRET_TOKEN is not set/),
  ]);
  const audit = await runInProcess(['audit', '--json'], env);
  const { entries } = JSON.parse(audit.stdout) as { entries: AuditEntry[] };
  expect(entries).toContainEqual(
    expect.objectContaining({ what: 'created', subject: 'http-start', name: 'shop' }),
  );
  expect(entries).toContainEqual(
    expect.objectContaining({ what: 'refused', subject: 'http-start', name: 'shop', via: 'http' }),
  );
  expect(entries).toContainEqual(
    expect.objectContaining({
      subject: 'run',
      via: 'http',
      reason: 'by HTTP, with RENDERLINE_SECRET_SHOP',
    }),
  );
});

test('a changed file takes effect once it is applied, and no run can be started without `start:`', async () => {
  await writeFile(file, pipeline.replace('"[A-Z0-9/]+"', '"[a-z]+"') + startFields);
  const wanted = { parameters: { season: 'ss' }, dryRun: true };
  expect((await ask(wanted, '')).status).toBe(400);
  await waitUntil('it is applied', async () => {
    const { code } = await runInProcess(['apply', file, '--json'], env);
    return code === 0;
  });
  await waitUntil('the change has effect', async () => (await ask(wanted, '')).status === 200);

  await writeFile(file, pipeline);
  const applied = await runInProcess(['apply', file, '--json'], env);
  expect(JSON.parse(applied.stdout)).toMatchObject({
    httpStarts: [{ pipeline: 'shop', change: 'remove' }],
  });
  await waitUntil(
    'the pipeline cannot be started',
    async () => (await ask(wanted, '')).status === 401,
  );
});

test('no history, schedule or log contains a secret', async () => {
  const histories = everythingIn(await allHistories(product.env));
  expect(histories).toContain('RENDERLINE_SECRET_SHOP');
  await writeFile(file, pipeline + startFields);
  await runInProcess(['apply', file, '--json'], env);
  const schedule = await withClient(product.env, ({ client }) =>
    client.schedule.getHandle('http-start:shop').describe(),
  );
  expect(JSON.stringify(schedule.raw)).toContain('http-start');
  expect(JSON.stringify(schedule.action)).toContain('RENDERLINE_SECRET_SHOP');
  await Promise.all(receivers.map((one) => one.stop('SIGTERM')));
  const texts = [
    histories,
    JSON.stringify(schedule.action),
    everythingIn(schedule.raw),
    product.worker.output(),
    ...receivers.map((one) => one.output()),
  ];
  for (const text of texts) {
    for (const value of [secret, next, token]) {
      expect(text).not.toContain(value);
      expect(text).not.toContain(Buffer.from(value).toString('base64').slice(0, 40));
    }
  }
});
