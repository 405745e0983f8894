import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  key: string | undefined;
  idempotencyKey: string | undefined;
  body: string;
}

/** A platform that has the same response to every request, and records the requests. */
async function platform(status: number, answer: unknown) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push({ ...heads(request), body });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const env = {
    RENDERLINE_BASE_URL: `http://127.0.0.1:${port}/api/v1`,
    RENDERLINE_API_KEY: 'svc_test_0123456789',
  };
  return { seen, world: { env, cwd: folderWith({ 'body.json': '{"name":"from a file"}' }) } };
}

function heads({ method, url, headers }: IncomingMessage) {
  const key = headers['x-api-key'];
  const idempotencyKey = headers['idempotency-key'];
  return { method, url, key: String(key), idempotencyKey: idempotencyKey?.toString() };
}

const me = { workspace: { id: 'w', name: 'W' }, apiKey: { name: null, expiresAt: null } };
const model = {
  modelId: 'm 1',
  name: 'x',
  status: 'READY',
  category: '',
  fileType: 'glb',
  glbFilePath: '',
  usdFilePath: '',
  addedLater: true,
};

const page = { total: 0, limit: 5, offset: 0 };

describe('api', () => {
  test('api prints the response as readable JSON', async () => {
    const { seen, world } = await platform(200, me);
    const { code, stdout, stderr } = await run(['api', 'getMe'], world);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toEqual(me);
    expect(seen).toMatchObject([{ method: 'GET', url: '/api/v1/me', key: 'svc_test_0123456789' }]);
  });

  test('api --json wraps the response in a versioned shape, unknown fields included', async () => {
    const { world } = await platform(200, model);
    const ran = await run(['api', 'getModel', '--params', 'modelId=m 1', '--json'], world);
    expect(ran.json()).toEqual({
      schema: 'renderline/api/v1',
      operation: 'getModel',
      result: model,
    });
  });

  test('api converts query fields to their types in the API reference', async () => {
    const { seen, world } = await platform(200, { models: [], ...page });
    const args = ['--query', 'limit=5', '--query', 'name=12'];
    expect((await run(['api', 'listModels', ...args], world)).code).toBe(0);
    expect(seen[0]?.url).toBe('/api/v1/models?limit=5&name=12');
  });

  test.each([
    ['as an argument', '{"name":"typed"}', '', 'typed'],
    ['from a file', '@body.json', '', 'from a file'],
    ['from standard input', '-', '{"name":"piped"}', 'piped'],
  ])('api sends a body %s', async (_how, flag, stdin, name) => {
    const { seen, world } = await platform(200, model);
    const args = ['api', 'updateModel', '--params', 'modelId=m', '--body', flag];
    expect((await run(args, { ...world, stdin })).code).toBe(0);
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ name });
  });

  test.each([
    [
      'query field',
      ['listModels', '--query', 'limt=5'],
      /listModels has no query field "limt".*"limit"/,
    ],
    [
      'body field',
      ['updateModel', '--params', 'modelId=m', '--body', '{"name":"x","categry":"y"}'],
      /updateModel has no body field "categry" in the API reference; the value is sent/,
    ],
  ])(
    'api sends a %s that is not in the reference, and prints a note',
    async (_name, args, note) => {
      const { seen, world } = await platform(200, { ...model, models: [], ...page });
      const ran = await run(['api', ...args], world);
      expect(ran.code).toBe(0);
      expect(ran.stderr).toMatch(note);
      expect(`${seen[0]?.url} ${seen[0]?.body}`).toMatch(/limt=5|categry/);
    },
  );

  test('api sends an idempotency key with operations that accept one', async () => {
    const { seen, world } = await platform(201, {
      models: [{ modelId: 'm', name: 'n', uploadUrl: 'http://u/', uploadKey: 'k' }],
    });
    const body = JSON.stringify({ models: [{ fileType: 'glb' }] });
    await run(['api', 'createModels', '--body', body, '--idempotency-key', 'k-1'], world);
    expect(seen[0]?.idempotencyKey).toBe('k-1');
  });

  test.each([
    ['an unknown operation', ['getMee'], 2, /Did you mean "getMe"/],
    ['no operation', [], 2, /No operation was specified/],
    ['an invalid pair', ['getMe', '--query', 'x'], 2, /--query "x" is not name=value/],
    ['an invalid body', ['updateModel', '--params', 'modelId=m', '--body', '{'], 2, /is not JSON/],
    [
      'an unwanted body',
      ['listModels', '--body', '{"limit":1}'],
      2,
      /listModels does not accept a body/,
    ],
    [
      'a missing body file',
      ['updateModel', '--params', 'modelId=m', '--body', '@no.json'],
      5,
      /no\.json/,
    ],
    [
      'a value that the contract does not allow',
      ['listModels', '--query', 'limit=1000'],
      2,
      /query\.limit.*at most 100/,
    ],
    ['a value of the wrong type', ['listModels', '--query', 'limit=x'], 2, /api listModels --help/],
    ['a missing parameter', ['getModel'], 2, /getModel needs --params modelId=…\./],
    [
      'another parameter, in a dry run',
      ['getModel', '--params', 'id=3', '--dry-run'],
      2,
      /getModel needs --params modelId=…, and has no path parameter id\./,
    ],
    [
      'one parameter too many',
      ['getModel', '--params', 'modelId=m', '--params', 'foo=1'],
      2,
      /getModel has no path parameter foo\./,
    ],
  ])('a command with %s is refused, and nothing is sent', async (_name, args, code, message) => {
    const { seen, world } = await platform(200, me);
    const ran = await run(['api', ...args], world);
    expect(ran.code).toBe(code);
    expect(ran.stderr).toMatch(message);
    expect(seen).toEqual([]);
  });

  test('a refused key ends api with exit code 4, and does not appear in the output', async () => {
    const { world } = await platform(401, { error: { code: 'INVALID_API_KEY', message: 'no' } });
    const ran = await run(['api', 'getMe', '--json'], world);
    expect(ran.code).toBe(4);
    expect(ran.json()).toMatchObject({ schema: 'renderline/error/v1', code: 'INVALID_API_KEY' });
    expect(ran.stdout + ran.stderr).not.toContain('0123456789');
  });

  test('an unreachable platform ends api with exit code 69, and the error says what to check', async () => {
    const env = { RENDERLINE_BASE_URL: 'http://127.0.0.1:1/api/v1', RENDERLINE_API_KEY: 'k_k_k' };
    const ran = await run(['api', 'getMe'], { env, cwd: folderWith() });
    expect(ran.code).toBe(69);
    expect(ran.stderr).toContain('RENDERLINE_BASE_URL');
  });

  test('missing settings end api with exit code 2, and the error contains the lines to type', async () => {
    const ran = await run(['api', 'getMe'], { cwd: folderWith() });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('export RENDERLINE_BASE_URL=');
    expect(ran.stderr).toContain('export RENDERLINE_API_KEY=');
    expect(ran.stderr).toContain('renderline dev');
  });

  test.each([
    ['typed', ['--body', '{"name":"typed"}'], '', 'typed'],
    ['joined', ['--body={"name":"joined"}'], '', 'joined'],
    ['from a file', ['--body', '@body.json'], '', 'from a file'],
    ['piped', ['--body', '-'], '{"name":"piped"}', 'piped'],
  ])('api accepts a --body that is %s', async (_how, flags, stdin, name) => {
    const { seen, world } = await platform(200, model);
    const args = ['api', 'updateModel', '--params', 'modelId=m', ...flags];
    const ran = await run(args, { ...world, stdin });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ name });
    expect(ran.json()).toEqual(model);
  });

  test('api accepts --json and --body together', async () => {
    const { seen, world } = await platform(200, model);
    const args = [
      'api',
      'updateModel',
      '--params',
      'modelId=m',
      '--json',
      '--body',
      '{"name":"a"}',
    ];
    expect((await run(args, world)).json()).toMatchObject({ schema: 'renderline/api/v1' });
    expect(JSON.parse(seen[0]?.body ?? '')).toEqual({ name: 'a' });
  });

  test('the help of an operation shows parameters, response and errors, and sends nothing', async () => {
    const { stdout, code } = await run(['api', 'createModels', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('POST /models');
    expect(stdout).toMatch(/models\[\]\.fileType +text +required/);
    expect(stdout).toContain('uploadUrl');
    expect(stdout).toContain('PLAN_LIMIT_REACHED');
    expect((await run(['api', 'createModles', '-h'])).stderr).toContain('"createModels"');
  });

  test('the help of an operation without a known path shows its parameters', async () => {
    const { stdout } = await run(['api', 'getColorwayBatch', '--help']);
    expect(stdout).toContain('Usage: renderline api getColorwayBatch --params batchId=…\n');
    expect(stdout).toMatch(/Path parameters, each as --params NAME=VALUE\n {2}batchId +text/);
  });

  test.each(Object.keys(operations))('the help of %s contains no empty paragraphs', async (id) => {
    const { stdout, code } = await run(['api', id, '--help']);
    expect([code, stdout.split('\n', 1)[0]]).toEqual([
      0,
      expect.stringContaining(`renderline api ${id}`),
    ]);
    expect(stdout).not.toContain('\n\n\n');
  });

  test('--list shows an operation with its family and tool', async () => {
    const ran = await run(['api', 'searchAssets', '--list', '--json']);
    expect(ran.json()).toMatchObject({
      operations: [
        {
          id: 'searchAssets',
          family: 'Properties and asset search',
          tool: 'search_assets_by_properties',
        },
      ],
    });
    expect((await run(['api', 'searchAsset', '--list'])).stderr).toContain('"searchAssets"');
  });

  test('--list shows every operation of the contract, in both forms', async () => {
    const human = await run(['api', '--list']);
    const machine = await run(['api', '--list', '--json']);
    const { operations: listed } = machine.json<{ operations: { id: string }[] }>();
    expect(listed.map(({ id }) => id)).toEqual(Object.keys(operations));
    for (const id of Object.keys(operations)) expect(human.stdout).toContain(id);
  });
});
