// `renderline api` against a sandbox: all pages, and responses written to files.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { json, startServer, testKey } from '../api/_server.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

async function world() {
  const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0, speed: 1000 });
  onTestFinished(() => sandbox.stop());
  const env = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
  return { env, cwd: folderWith() };
}

type World = Awaited<ReturnType<typeof world>>;

interface Created {
  models: { modelId: string; uploadUrl: string }[];
}

async function createModels(at: World, count: number): Promise<Created> {
  const body = JSON.stringify({
    models: Array.from({ length: count }, () => ({ fileType: 'glb' })),
  });
  const ran = await run(['api', 'createModels', '--body', body], at);
  return ran.json<Created>();
}

test('--all prints every item once, one per line', async () => {
  const at = await world();
  const { models } = await createModels(at, 5);
  const ran = await run(['api', 'listModels', '--all', '--query', 'limit=2'], at);
  const lines = ran.stdout.trim().split('\n');
  const ids = lines.map((line) => (JSON.parse(line) as { modelId: string }).modelId);
  expect(ids.toSorted()).toEqual(models.map(({ modelId }) => modelId).toSorted());
});

test('--all --json prints one object with all items', async () => {
  const at = await world();
  await createModels(at, 3);
  const ran = await run(['api', 'listModels', '--all', '--query', 'limit=2', '--json'], at);
  const answer = ran.json<{ items: unknown[] }>();
  expect(answer).toMatchObject({ schema: 'renderline/api/v1', operation: 'listModels' });
  expect(answer.items).toHaveLength(3);
});

test('--all writes lines to a file, even for a search, whose pages are requested in the body', async () => {
  const at = await world();
  await createModels(at, 3);
  const body = '{"assetType":"MODEL","limit":2}';
  const args = ['api', 'searchAssets', '--all', '--body', body, '--output', 'found.ndjson'];
  expect((await run(args, at)).code).toBe(0);
  expect(readFileSync(join(at.cwd, 'found.ndjson'), 'utf8').trim().split('\n')).toHaveLength(3);
});

test('--all for an operation without pages is a usage error', async () => {
  const ran = await run(['api', 'getMe', '--all'], await world());
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain('getMe has no pages');
});

test('a download prints its address, or writes the file with --output, even twice at the same time', async () => {
  const at = await world();
  const { models } = await createModels(at, 1);
  const [{ modelId, uploadUrl } = { modelId: '', uploadUrl: '' }] = models;
  const glb = triangleGlb();
  const put = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(glb) });
  expect(put.status).toBe(200);
  const args = [
    'api',
    'downloadModel',
    '--params',
    `modelId=${modelId}`,
    '--query',
    'format=source',
  ];
  expect((await run(args, at)).json()).toMatchObject({
    location: expect.stringContaining('signature=') as string,
  });
  const ran = await run([...args, '--output', 'model.glb', '--json'], at);
  const file = join(at.cwd, 'model.glb');
  expect(ran.json()).toMatchObject({ file, bytes: glb.length });
  expect(readFileSync(file).equals(glb)).toBe(true);
  const name = '.mödel 100%.glb';
  const both = [1, 2].map(() => run([...args, '--output', name], at));
  expect((await Promise.all(both)).map(({ code }) => code)).toEqual([0, 0]);
  expect(readFileSync(join(at.cwd, name)).equals(glb)).toBe(true);
  expect(readdirSync(at.cwd).sort()).toEqual([name, 'model.glb']);
});

test('a download that fails leaves no files', async () => {
  const at = await world();
  const args = ['api', 'downloadModel', '--params', 'modelId=none', '--output', 'model.glb'];
  expect((await run(args, at)).code).toBe(5);
  expect(existsSync(join(at.cwd, 'model.glb'))).toBe(false);
  expect(readdirSync(at.cwd)).toEqual([]);
});

test('nothing is sent if the response cannot be written', async () => {
  const at = await world();
  mkdirSync(join(at.cwd, 'models.json'));
  const args = ['api', 'createModels', '--body', '{"models":[{"fileType":"glb"}]}'];
  const ran = await run([...args, '--output', 'models.json'], at);
  expect(ran.stderr).toContain('models.json is a folder');
  expect((await run(['api', 'listModels', '--all', '--json'], at)).json()).toMatchObject({
    items: [],
  });
});

test('any other response is written to the file as readable JSON', async () => {
  const at = await world();
  const ran = await run(['api', 'getMe', '--output', 'me.json'], at);
  expect(ran.stdout).toContain('me.json');
  expect(JSON.parse(readFileSync(join(at.cwd, 'me.json'), 'utf8'))).toHaveProperty('workspace');
});

/** A platform with the same response to every request. */
async function answering(answer: (url: URL) => unknown) {
  const server = await startServer();
  onTestFinished(() => server.close());
  server.respondWith(({ url }, response) =>
    json(response, 200, answer(new URL(url, 'http://platform.local'))),
  );
  const env = { RENDERLINE_BASE_URL: `${server.origin}/api/v1`, RENDERLINE_API_KEY: testKey };
  return { server, world: { env, cwd: folderWith() } };
}

test('a response is shown unchanged, whatever its shape', async () => {
  const odd = { models: { none: true }, total: 'many', further: [null] };
  const { world: at } = await answering(() => odd);
  const ran = await run(['api', 'listModels'], at);
  expect([ran.code, JSON.parse(ran.stdout), ran.stderr]).toEqual([0, odd, '']);
});

test('--all shows items unchanged, distinguished by their own ids', async () => {
  const props = ['p1', 'p2', 'p3'].map((propId) => ({ collectionId: 'c1', propId, odd: true }));
  const { world: at } = await answering(() => ({ further: [], props, total: 3 }));
  const ran = await run(['api', 'listProps', '--all', '--json'], at);
  expect(ran.json()).toMatchObject({ items: props });
});

test.each<[string, (page: number) => unknown, string, number]>([
  [
    'a list that never ends',
    (page) => ({ models: [{ modelId: `m${page}` }], total: page + 30 }),
    'the list does not end',
    162,
  ],
  ['a page without its list', () => ({ further: [] }), 'a page has no list of models', 1],
  ['a null', () => null, 'a page has no list of models', 1],
])(
  '--all for %s ends with an error that describes the problem',
  async (_, answer, said, requests) => {
    let page = 0;
    const { server, world: at } = await answering(() => answer((page += 1)));
    const ran = await run(['api', 'listModels', '--all'], at);
    expect(ran.code).toBe(69);
    expect(ran.stderr).toContain('listModels');
    expect(ran.stderr).toContain(said);
    expect(server.received).toHaveLength(requests);
  },
);

const checkFirst = 'Check on the platform whether the call was executed before you send it again';
const createCall = ['createRenders', '--body', '{"projectIds":["p"]}'];

test.each([
  ['a 500 for a creating call', createCall, 500, true],
  ['an unreadable response to a creating call', createCall, 302, true],
  ['a refused creating call', createCall, 404, false],
  ['a 500 for a read', ['getRenderJob', '--params', 'jobId=j'], 500, false],
  ['a 500 for a call that may be repeated', ['cancelRenderJob', '--params', 'jobId=j'], 500, false],
])(
  'after %s, the fix says whether its outcome must be checked first',
  async (_, call, status, must) => {
    const server = await startServer();
    onTestFinished(() => server.close());
    server.respondWith((_request, response) =>
      json(response, status, { error: { code: 'INTERNAL_ERROR', message: 'no' } }),
    );
    const env = { RENDERLINE_BASE_URL: `${server.origin}/api/v1`, RENDERLINE_API_KEY: testKey };
    const ran = await run(['api', ...call, '--json'], { env, cwd: folderWith() });
    expect(ran.json<{ fix: string }>().fix.includes(checkFirst)).toBe(must);
    expect(server.received).toHaveLength(1);
  },
);
