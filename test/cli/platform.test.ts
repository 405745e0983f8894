// `renderline platform` against a sandbox.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

const chairs = `# Pictures of chairs.
name: chairs
connectors:
  models: { type: local, path: ./models }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take], timeout: 1h }
  - { id: shots, type: render, parentIds: [ready] }
`;

async function world() {
  const cwd = folderWith({ 'chairs.yaml': chairs });
  mkdirSync(join(cwd, 'connected'));
  const sandbox = await startSandbox({
    seed: 1,
    pictureScale: 0,
    rateLimit: 0,
    speed: 1000,
    connectors: { models: join(cwd, 'connected') },
  });
  onTestFinished(() => sandbox.stop());
  const env = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
  return { env, cwd };
}

test('a file is pushed, found, pushed again to the same pipeline, and pulled back unchanged', async () => {
  const here = await world();
  const first = await run(['platform', 'push', 'chairs.yaml', '--paused', '--json'], here);
  expect([first.code, first.json()]).toMatchObject([
    0,
    {
      schema: 'renderline/platform-push/v1',
      created: true,
      name: 'chairs',
      status: 'PAUSED',
      omitted: ['connectors', 'records', 'nodes[1].timeout'],
      missingConnectors: [],
    },
  ]);
  const { id } = first.json<{ id: string }>();
  const again = await run(['platform', 'push', 'chairs.yaml', '--json'], here);
  expect(again.json()).toMatchObject({ id, created: false, status: 'PAUSED' });
  const listed = await run(['platform', 'list', '--json'], here);
  expect(listed.json()).toMatchObject({
    pipelines: [{ id, name: 'chairs' }],
    connectors: ['models'],
  });

  const pulled = await run(['platform', 'pull', 'chairs', 'chairs.yaml', '--json'], here);
  expect(pulled.json()).toMatchObject({ id, state: 'unchanged' });
  expect(readFileSync(join(here.cwd, 'chairs.yaml'), 'utf8')).toBe(chairs);
});

test('a pushed pipeline runs on the platform with its parents and configuration', async () => {
  const here = await world();
  writeFileSync(join(here.cwd, 'connected', 'note.glb'), 'no model');
  const pushed = await run(['platform', 'push', 'chairs.yaml', '--json'], here);
  const { id, status } = pushed.json<{ id: string; status: string }>();
  expect(status).toBe('ACTIVE');
  await expect
    .poll(async () => (await run(['platform', 'jobs', id, '--json'], here)).json(), {
      timeout: 10_000,
    })
    .toMatchObject({ total: 1, jobs: [{ sourceFile: { path: 'note.glb' } }] });
  const table = await run(['platform', 'jobs', 'chairs'], here);
  expect(table.stdout).toContain('note.glb');
});

test('a push with other nodes replaces the earlier nodes', async () => {
  const here = await world();
  await run(['platform', 'push', 'chairs.yaml'], here);
  const shorter = chairs.split('\n').slice(0, -2).join('\n').concat('\n');
  writeFileSync(join(here.cwd, 'chairs.yaml'), shorter);
  const pushed = await run(['platform', 'push', 'chairs.yaml', '--json'], here);
  expect(pushed.json()).toMatchObject({ created: false });
  const pulled = await run(['platform', 'pull', 'chairs', 'chairs.yaml', '--json'], here);
  expect(pulled.json()).toMatchObject({ state: 'unchanged' });
});

test('pause pauses a pipeline, and resume activates it again', async () => {
  const here = await world();
  await run(['platform', 'push', 'chairs.yaml'], here);
  const paused = await run(['platform', 'pause', 'chairs', '--json'], here);
  expect(paused.json()).toMatchObject({ status: 'PAUSED' });
  const resumed = await run(['platform', 'resume', 'chairs'], here);
  expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('is ACTIVE')]);
});

test('pull prints the file, or writes it to a new file', async () => {
  const here = await world();
  await run(['platform', 'push', 'chairs.yaml'], here);
  const printed = await run(['platform', 'pull', 'chairs'], here);
  expect(printed.stdout).toMatch(/name: "chairs"[\s\S]*type: render }/);
  expect(printed.stderr).toContain('The platform returns neither');
  const written = await run(['platform', 'pull', 'chairs', 'new.yaml'], here);
  expect(written.stdout).toBe('created new.yaml\n');
  expect(readFileSync(join(here.cwd, 'new.yaml'), 'utf8')).toBe(printed.stdout);
});

test('pull into a file with other nodes writes nothing', async () => {
  const here = await world();
  await run(['platform', 'push', 'chairs.yaml'], here);
  const longer = `${chairs}  - { id: held, type: render_complete, parentIds: [shots] }\n`;
  writeFileSync(join(here.cwd, 'other.yaml'), longer);
  const pulled = await run(['platform', 'pull', 'chairs', 'other.yaml'], here);
  expect([pulled.code, pulled.stderr]).toEqual([
    2,
    expect.stringContaining('The nodes of other.yaml differ'),
  ]);
  expect(readFileSync(join(here.cwd, 'other.yaml'), 'utf8')).toBe(longer);
});

test.each([
  [
    'reports a connector that the platform does not have',
    chairs.replace(/models/g, 'shelf'),
    0,
    'no connector "shelf"',
  ],
  ['refuses an invalid file', chairs.replace('type: render', 'type: rendr'), 2, 'chairs.yaml:9:'],
])('push %s', async (_what, text, code, said) => {
  const here = await world();
  writeFileSync(join(here.cwd, 'chairs.yaml'), text);
  const pushed = await run(['platform', 'push', 'chairs.yaml'], here);
  expect([pushed.code, pushed.stdout + pushed.stderr]).toEqual([
    code,
    expect.stringContaining(said),
  ]);
});

test.each([['pull'], ['pause'], ['resume'], ['jobs']])(
  '%s of an unknown pipeline exits with 5 and a hint',
  async (verb) => {
    const here = await world();
    await run(['platform', 'push', 'chairs.yaml'], here);
    const ran = await run(['platform', verb, 'chair'], here);
    expect([ran.code, ran.stderr]).toEqual([5, expect.stringContaining('Did you mean "chairs"?')]);
  },
);

test('a file with named operations is pushed to their paths', async () => {
  const here = await world();
  const named = `${chairs}operations: { createPipeline: 'POST /elsewhere' }\n`;
  writeFileSync(join(here.cwd, 'named.yaml'), named);
  const pushed = await run(['platform', 'push', 'named.yaml'], here);
  expect(pushed.code).not.toBe(0);
  expect(pushed.stderr).toContain('The operation POST /api/v1/elsewhere does not exist');
});
