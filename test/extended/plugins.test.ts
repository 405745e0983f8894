// Node types and connectors of a project: examples/plugin, loaded by separate processes, since in this process they
// would stay in the registry for every other test.
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { allHistories } from '../system/_histories.ts';
import { runInProcess } from '../system/_in-process.ts';
import { smallModel } from '../system/_models.ts';
import { joined } from '../system/_runs.ts';
import { startSandbox } from '../system/_sandbox.ts';
import { run, start, tempFolder, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { serveWebFolder } from './_web-folder.ts';

const temporal = useTemporal();
useProcesses();

/** The example in its own folder, with the program installed. */
async function project(): Promise<string> {
  const folder = join(await tempFolder('plugin'), 'project');
  await cp('examples/plugin', folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(process.cwd(), join(folder, 'node_modules', 'renderline'));
  return folder;
}

type Env = Parameters<typeof runInProcess>[1];

/** The cause with which a worker without the plugin in its renderline.yaml holds a run. */
async function heldWithout(
  given: readonly string[],
  env: Env,
  folder: string,
): Promise<Record<string, string>> {
  const without = start(['worker'], env, await tempFolder('without'));
  await without.waitForOutput('Task queue');
  const held = await run(['run', ...given, '--wait', '--json'], env, folder);
  await without.stop();
  return JSON.parse(held.stdout);
}

/** Starts a worker with the plugin, which completes a held run. */
async function takenUp({ run: id = '' }: Record<string, string>, env: Env, folder: string) {
  const worker = start(['worker'], env, folder);
  await worker.waitForOutput('Task queue');
  expect((await runInProcess(['resume', id], env)).code).toBe(0);
  return { worker, shown: await run(['show', id, '--wait', '--json'], env, folder) };
}

const plain = `const nothing = () => undefined;
const node = {
  type: 'check_price', summary: 'Checks.', docs: 'Checks.', example: 'name: x', config: { parse: nothing }, mode: 'call',
  needs: [], gives: [], recipe: [], profile: { batch: 1, startToClose: '1s', timeout: '1m' }, route: nothing, run: nothing,
};
const place = {
  type: 'web_page', summary: 'Pages.', docs: 'Pages.', example: 'a: {}', config: { parse: nothing, shape: {} }, open: nothing,
};
export const plugin = `;

test.each<[string, string, string, RegExp]>([
  ['is missing', './none.js', '', /lists the plugin \.\/none\.js, which does not exist/],
  ['is outside the project', '../own.js', '', /which is outside/],
  ['is not installed', 'no-such-plugin', '', /no-such-plugin, which cannot be found/],
  ['cannot be loaded', './own.js', 'export const = 1', /\.\/own\.js .*cannot be loaded: /],
  ['exports nothing', './own.js', '', /\.\/own\.js cannot be used: plugin/],
  [
    'has an invalid name',
    './own.js',
    `${plain}{ name: 'x', nodes: [{ ...node, type: 'A-b' }] };`,
    /plugin\.nodes\.0\.type: must be a name/,
  ],
  [
    'uses the name of a built-in type',
    './own.js',
    `${plain}{ name: 'x', nodes: [{ ...node, type: 'render' }] };`,
    /"x" \(\.\/own\.js\) defines a node type "render"/,
  ],
  [
    'has a node type without a `run` function',
    './own.js',
    `${plain}{ name: 'x', nodes: [{ ...node, run: null }] };`,
    /plugin\.nodes\.0\.run: must be a function/,
  ],
  [
    'uses the name of a built-in connector',
    './own.js',
    `${plain}{ name: 'x', connectors: [{ ...place, type: 's3' }] };`,
    /"x" \(\.\/own\.js\) defines a connector type "s3"/,
  ],
  [
    'defines a connector twice',
    './own.js',
    `${plain}{ name: 'x', connectors: [place, place] };`,
    /defines a connector type "web_page"/,
  ],
  [
    'has a connector with a field named `type`',
    './own.js',
    `${plain}{ name: 'x', connectors: [{ ...place, config: { parse: nothing, shape: { type: 1 } } }] };`,
    /plugin\.connectors\.0\.config: must be a zod object without `type`/,
  ],
  [
    'has a connector without an `open` function',
    './own.js',
    `${plain}{ name: 'x', connectors: [{ ...place, open: 'x' }] };`,
    /plugin\.connectors\.0\.open: must be a function/,
  ],
])(
  'a plugin that %s is refused, and the error identifies the plugin',
  async (_what, name, code, message) => {
    const folder = await project();
    for (const place of [folder, dirname(folder)]) await writeFile(join(place, 'own.js'), code);
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await writeFile(join(folder, 'renderline.yaml'), `plugins: [${name}]`);
    // A refused plugin registers nothing, so this process may run the command.
    const [file, config] = [join(folder, 'catalog.yaml'), join(folder, 'renderline.yaml')];
    const { code: exit, stderr } = await runInProcess(['validate', file, '--config', config], {});
    expect(stderr).toMatch(message);
    expect(exit).toBe(2);
  },
);

test('the example plugin is checked like built-in types and runs only on a worker that has it', async () => {
  const folder = await project();
  const checked = await run(['validate', 'catalog.yaml'], {}, folder);
  expect(checked, checked.stdout).toMatchObject({ code: 0 });
  const schema = await run(['schema', '--json'], {}, folder);
  expect(schema.stdout).toContain('First day after the embargo.');

  const sandbox = await startSandbox(['--speed', '50', '--picture-scale', '0']);
  const env = joined(temporal.env, sandbox.env);
  await mkdir(join(folder, 'models', 'new'), { recursive: true });
  for (const name of ['old', 'new/secret']) {
    await writeFile(join(folder, 'models', `${name}.glb`), smallModel(name));
  }
  const given = ['catalog.yaml', '--param', 'folder=models', '--param', 'out=pictures'];
  const refusal = await heldWithout(given, env, folder);
  expect(refusal).toMatchObject({ code: 'NODE_TYPE_UNKNOWN' });
  expect(refusal['message']).toContain('no node type "embargo"');

  const { worker, shown } = await takenUp(refusal, env, folder);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    outcome: 'partial_failure',
    assets: { complete: 1, failed: 1 },
    failures: [
      {
        key: 'new/secret',
        code: 'UNDER_EMBARGO',
        title: 'The asset is under embargo.',
      },
    ],
  });
  await worker.stop();
});

test.each<[string, (text: string) => string, RegExp]>([
  ['an unknown field', (text) => text.replace('prefix:', 'folder:'), /10:5 error RL201/],
  [
    'an unencrypted address',
    (text) => text.replace('"${{ params.server }}"', 'http://a.example'),
    /RL316/,
  ],
  [
    'an address that the operator has not allowed',
    (text) => text.replace('"${{ params.server }}"', 'https://a.example'),
    /RL317.*RENDERLINE_ALLOW_HOSTS=https:\/\/a\.example/s,
  ],
  [
    'a key of the worker',
    (text) => text.replace('RENDERLINE_SECRET_SUPPLIER', 'RENDERLINE_API_KEY'),
    /RL315/,
  ],
  [
    'a delivery to a read-only connector',
    (text) => text.replace('connector: pictures', 'connector: models'),
    /RL417/,
  ],
  [
    'records in a read-only connector',
    (text) => text.replace('nodes:', 'records: models\nnodes:'),
    /RL417/,
  ],
])("a plugin's connector is checked like built-in ones: %s", async (_what, change, problem) => {
  const folder = await project();
  const text = await readFile(join(folder, 'supplier.yaml'), 'utf8');
  await writeFile(join(folder, 'supplier.yaml'), change(text));
  const checked = await run(['validate', 'supplier.yaml'], {}, folder);
  expect(checked.stdout + checked.stderr).toMatch(problem);
  expect(checked.code).toBe(2);
});

test("a plugin's connector works in commands, but on workers only if they have it", async () => {
  const folder = await project();
  const schema = await run(['schema', '--json'], {}, folder);
  expect(schema.stdout).toContain('- web_folder: A folder of a web server that lists its files');
  expect(schema.stdout).toContain('Environment variable that holds a bearer token.');

  const secret = 'c4n4ry-of-the-supplier';
  const shelf = await tempFolder('shelf');
  await mkdir(join(shelf, 'models', 'deep er'), { recursive: true });
  await writeFile(join(shelf, 'models', 'shoe.glb'), smallModel('shoe'));
  await writeFile(join(shelf, 'models', 'deep er', 'boot.glb'), smallModel('boot'));
  const server = await serveWebFolder(shelf, secret);
  const sandbox = await startSandbox(['--speed', '50', '--picture-scale', '0']);
  const env = {
    ...joined(temporal.env, sandbox.env),
    RENDERLINE_SECRET_SUPPLIER: secret,
    RENDERLINE_ALLOW_HOSTS: '127.0.0.1',
  };
  const given = ['supplier.yaml', '--param', `server=${server}`, '--param', 'out=pictures'];
  const refusal = await heldWithout(given, env, folder);
  expect(refusal).toMatchObject({ code: 'UNKNOWN_CONNECTOR' });
  expect(refusal['message']).toContain('"web_folder" is unknown');

  const { worker, shown } = await takenUp(refusal, env, folder);
  expect(JSON.parse(shown.stdout)).toMatchObject({ outcome: 'complete', assets: { complete: 2 } });
  const pictures = await readdir(join(folder, 'pictures'), { recursive: true });
  expect(pictures).toEqual(expect.arrayContaining(['shoe.png', join('deep er', 'boot.png')]));

  const refused = await run(
    ['run', ...given, '--wait', '--json'],
    { ...env, RENDERLINE_SECRET_SUPPLIER: 'x' },
    folder,
  );
  expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'ACCESS_DENIED' });
  const told = [worker.output(), shown.stdout, JSON.stringify(await allHistories(env))].join();
  expect(told).not.toContain(secret);
  await worker.stop();
});

const shelves = `name: shelves
connectors:
  models: { type: shelf, path: PLACE, prefix: in, keyFrom: RENDERLINE_SECRET_SHELF }
  pictures: { type: shelf, path: PLACE, prefix: out, keyFrom: RENDERLINE_SECRET_SHELF }
records: { connector: pictures, folder: kept }
report: reports
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures, naming: "{{ key }}.{{ ext }}" } }
`;

test("a plugin's connector can hold models, records and reports, and a worker without it starts nothing", async () => {
  const folder = await project();
  await cp('test/fixtures/shelf/shelf.js', join(folder, 'shelf.js'));
  await writeFile(join(folder, 'renderline.yaml'), 'plugins: [./shelf.js]');
  await writeFile(join(folder, 'shelves.yaml'), shelves.replaceAll('PLACE', folder));
  const objects = join(folder, 'objects');
  await mkdir(join(objects, 'in'), { recursive: true });
  await writeFile(join(objects, 'in', 'shoe.glb'), smallModel('shoe'));
  const sandbox = await startSandbox(['--speed', '50', '--picture-scale', '0']);
  const secret = 'c4n4ry-of-the-shelf';
  const env = { ...joined(temporal.env, sandbox.env), RENDERLINE_SECRET_SHELF: secret };

  const refusal = await heldWithout(['shelves.yaml'], env, folder);
  expect(refusal).toMatchObject({ code: 'UNKNOWN_CONNECTOR' });
  expect(await readdir(objects)).toEqual(['in']);

  const { worker, shown } = await takenUp(refusal, env, folder);
  const { run: id = '' } = refusal;
  expect(JSON.parse(shown.stdout)).toMatchObject({
    outcome: 'complete',
    assets: { complete: 1 },
    destination: expect.stringContaining('shelf://'),
  });
  const there = await readdir(join(objects, 'out'));
  expect(there.sort()).toEqual(['kept', 'reports', 'shoe.png']);
  const report = await run(['report', id, '--format', 'json', '--output', '-'], env, folder);
  expect(report.stdout).toContain('shoe.png');
  const again = await run(['run', 'shelves.yaml', '--wait', '--json'], env, folder);
  expect(JSON.parse(again.stdout)).toMatchObject({ assets: { unchanged: 1 } });
  expect([worker.output(), JSON.stringify(await allHistories(env))].join()).not.toContain(secret);
  await worker.stop();
});
