// Node types of a project's own: examples/plugin, as processes that load it see it. In this process they would stay in the
// registry for every other test.
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runHere } from './_here.ts';
import { smallModel } from './_models.ts';
import { joined } from './_runs.ts';
import { run, start, startSandboxProcess, tempFolder, useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
useProcesses();

/** The example in a folder of its own, with the program installed. */
async function project(): Promise<string> {
  const folder = await tempFolder('plugin');
  await cp('examples/plugin', folder, { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(process.cwd(), join(folder, 'node_modules', 'renderline'));
  return folder;
}

const plain = `const nothing = () => undefined;
const node = {
  type: 'check_price', summary: 'Checks.', docs: 'Checks.', example: 'name: x', config: { parse: nothing }, mode: 'call',
  needs: [], gives: [], recipe: [], profile: { batch: 1, startToClose: '1s', timeout: '1m' }, route: nothing, run: nothing,
};
export const plugin = `;

test.each<[string, string, string, RegExp]>([
  ['is not there', './none.js', '', /names the plugin \.\/none\.js, which is not there/],
  ['lies outside', '../none.js', '', /which is not there|which lies outside/],
  ['is not installed', 'no-such-plugin', '', /no-such-plugin, which cannot be found/],
  ['cannot be loaded', './own.js', 'export const = 1', /\.\/own\.js .*cannot be loaded: /],
  ['exports nothing', './own.js', '', /\.\/own\.js cannot be used: plugin/],
  [
    'has a bad name',
    './own.js',
    `${plain}{ name: 'x', nodes: [{ ...node, type: 'A-b' }] };`,
    /plugin\.nodes\.0\.type: must be a name/,
  ],
  [
    'takes a name of ours',
    './own.js',
    `${plain}{ name: 'x', nodes: [{ ...node, type: 'render' }] };`,
    /"x" \(\.\/own\.js\) brings a node type "render"/,
  ],
  [
    'lacks its work',
    './own.js',
    `${plain}{ name: 'x', nodes: [{ ...node, run: null }] };`,
    /plugin\.nodes\.0\.run: must be a function/,
  ],
])('a plugin that %s is refused by name', async (_what, name, code, message) => {
  const folder = await project();
  await writeFile(join(folder, 'own.js'), code);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'renderline.yaml'), `plugins: [${name}]`);
  // What is refused adds nothing, so this process may look.
  const [file, config] = [join(folder, 'catalog.yaml'), join(folder, 'renderline.yaml')];
  const { code: exit, stderr } = await runHere(['validate', file, '--config', config], {});
  expect(stderr).toMatch(message);
  expect(exit).toBe(2);
});

test('the example: checked and completed as types of ours, carried out by a worker that has it, and by no other', async () => {
  const folder = await project();
  const checked = await run(['validate', 'catalog.yaml'], {}, folder);
  expect(checked, checked.stdout).toMatchObject({ code: 0 });
  const schema = await run(['schema', '--json'], {}, folder);
  expect(schema.stdout).toContain('The first day on which they may be shown.');

  const sandbox = await startSandboxProcess(['--speed', '50', '--picture-scale', '0']);
  const env = joined(temporal.env, sandbox.env);
  await mkdir(join(folder, 'models', 'new'), { recursive: true });
  for (const name of ['old', 'new/secret']) {
    await writeFile(join(folder, 'models', `${name}.glb`), smallModel(name));
  }
  // Elsewhere no renderline.yaml names the plugin.
  const without = start(['worker'], env, await tempFolder('without'));
  await without.says('Task queue');
  const given = ['--param', 'folder=models', '--param', 'out=pictures', '--wait', '--json'];
  const held = await run(['run', 'catalog.yaml', ...given], env, folder);
  const refusal = JSON.parse(held.stdout) as Record<string, string>;
  expect(refusal).toMatchObject({ code: 'NODE_TYPE_UNKNOWN' });
  expect(refusal['message']).toContain('no node type "embargo"');
  await without.stop();

  const worker = start(['worker'], env, folder);
  await worker.says('Task queue');
  const { run: id = '' } = refusal;
  expect((await runHere(['resume', id], env)).code).toBe(0);
  const shown = await run(['show', id, '--wait', '--json'], env, folder);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    outcome: 'partial_failure',
    assets: { complete: 1, failed: 1 },
    failures: [
      {
        key: 'new/secret',
        code: 'UNDER_EMBARGO',
        title: 'The asset may not be shown before a day that has not come.',
      },
    ],
  });
  await worker.stop();
});
