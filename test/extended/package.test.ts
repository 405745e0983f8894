// The result of `npm run pack`: packages that install without a clone, and do what the README promises.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { smallModel } from '../system/_models.ts';
import { joined } from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { start, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { install, npx, pack } from './_installed.ts';

const execute = promisify(execFile);
const temporal = useTemporal();
useProcesses();

let folder = '';

beforeAll(async () => {
  // `pack` refuses packages in which publint or attw finds a problem.
  folder = await install(await pack());
});

async function shipped(name: string): Promise<string[]> {
  return readdir(join(folder, 'node_modules', name), { recursive: true });
}

test('both packages exist and contain no tests, sources, source maps or scripts', async () => {
  for (const name of ['renderline', '@renderline/sandbox']) {
    const files = await shipped(name);
    expect(files).toContain('dist');
    expect(
      files.filter((file) => /(?<!\.d)\.ts$|\.map$|^dist\/(?:test|bench|scripts)/.test(file)),
    ).toEqual([]);
    const manifest = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    expect(manifest).not.toMatch(/"scripts"|"private"|"devDependencies"|renderline-source|file:/);
  }
});

test('npx renderline prints its version and validates the shipped pipelines', async () => {
  expect(await npx(folder, ['renderline', '--version'])).toBe('1.0.0');
  const shipped = 'node_modules/renderline/pipelines';
  const files = (await readdir(join(folder, shipped))).filter((name) =>
    /^[\w-]+\.yaml$/.test(name),
  );
  expect(files.length).toBeGreaterThan(6);
  const paths = files.map((name) => join(shipped, name));
  expect(await npx(folder, ['renderline', 'validate', ...paths])).toContain('valid    ');
});

test('npx renderline demo creates its pictures', async () => {
  const ran = await npx(folder, ['renderline', 'demo', '--json', '--speed', '20']);
  expect(JSON.parse(ran)).toMatchObject({ outcome: 'complete', assets: { complete: 10 } });
  const delivered = await readdir(join(folder, 'renderline-demo', 'pictures'), { recursive: true });
  expect(delivered.filter((name) => /^\w.*\.png$/.test(name))).toHaveLength(10);
});

test('the examples compile with the shipped types, and those in docs/library.md run', async () => {
  const page = await readFile('docs/library.md', 'utf8');
  const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  expect(examples).toHaveLength(2);
  const [runs = '', client = ''] = examples;
  // Each example is valid TypeScript with the shipped declarations, and runs unchanged as JavaScript.
  for (const [name, code] of Object.entries({ runs, client })) {
    await writeFile(join(folder, `${name}.mts`), code);
    await writeFile(join(folder, `${name}.mjs`), code);
  }
  const strict = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--module', 'nodenext'];
  const node = ['--types', 'node', '--typeRoots', join(process.cwd(), 'node_modules/@types')];
  const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
  await execute(tsc, [...strict, ...node, 'runs.mts', 'client.mts'], { cwd: folder });
  const plugins = ['embargo.js', 'web-folder.js'];
  for (const name of plugins) await copyFile(`examples/plugin/${name}`, join(folder, name));
  await execute(tsc, [...strict, ...node, '--checkJs', ...plugins], { cwd: folder });

  const sandbox = await startSandbox(fastSandbox);
  const env = joined(temporal.env, sandbox.env);
  const main = join(folder, 'node_modules/renderline/dist/src/cli/main.js');
  const worker = start(['worker'], env, folder, main);
  await worker.waitForOutput('Task queue');
  await copyFile('pipelines/catalog.yaml', join(folder, 'pipeline.yaml'));
  await mkdir(join(folder, 'models'));
  await writeFile(join(folder, 'models', 'shoe.glb'), smallModel('shoe'));
  const { PATH = '', HOME = '' } = process.env;
  const options = { cwd: folder, env: { PATH, HOME, ...env } };
  const play = (name: string) => execute(process.execPath, [`${name}.mjs`], options);
  expect((await play('runs')).stdout).toBe('complete 1 0\n');
  expect((await play('client')).stdout).toMatch(/^1 \[ 'shoe/);
  await worker.stop();
});
