// The program as production installs it: without the sandbox and without the packages that only the sandbox needs.
import { cp, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectPictures,
  joined,
  reportOf,
  runArguments,
} from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { start, tempFolder, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const root = fileURLToPath(new URL('../..', import.meta.url));
let program = '';

async function dependencies(folder: string): Promise<string[]> {
  const text = await readFile(join(root, folder, 'package.json'), 'utf8');
  return Object.keys((JSON.parse(text) as { dependencies: object }).dependencies);
}

/** Links a folder of installed packages; a scope is a folder of its own. */
async function linkAll(from: string, to: string, omitted: readonly string[]): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const inScope = name.startsWith('@')
      ? omitted.filter((one) => one.startsWith(`${name}/`)).map((one) => one.slice(name.length + 1))
      : [];
    if (inScope.length > 0) await linkAll(source, target, inScope);
    else if (!omitted.includes(name)) await symlink(source, target);
  }
}

beforeAll(async () => {
  const folder = join(await tempFolder('root-alone'), 'renderline');
  await mkdir(folder);
  for (const part of ['dist', 'pipelines', 'package.json']) {
    // Another test may be packing the packages at the same time.
    const filter = (path: string) => !path.startsWith(join(root, 'dist', 'packages'));
    await cp(join(root, part), join(folder, part), { recursive: true, filter });
  }
  const own = await dependencies('.');
  const sandboxOnly = (await dependencies('packages/sandbox')).filter((one) => !own.includes(one));
  expect(sandboxOnly).toEqual(
    expect.arrayContaining(['draco3dgltf', 'h264-mp4-encoder', 'pdfkit']),
  );
  const omitted = [...sandboxOnly, '@renderline/sandbox'];
  await linkAll(join(root, 'node_modules'), join(folder, 'node_modules'), omitted);
  program = join(folder, 'dist', 'src', 'cli', 'main.js');
});

test('a worker without the sandbox delivers pictures', async () => {
  const sandbox = await startSandbox(fastSandbox);
  const env = joined(temporal.env, sandbox.env);
  const place = await createPipelineFolder('root-alone');
  const keys = names('shoe', 2);
  await writeModels(place.folder, keys);
  const worker = start(['worker', '--health-port', '0', '--json'], env, root, program);
  await worker.waitForOutput('healthPort');
  const report = reportOf(await runInProcess(runArguments(place, '--wait', '--json'), env));
  expect(report).toMatchObject({ outcome: 'complete' });
  await expectPictures(report, keys);
  await worker.stop();
});

test.each([['demo'], ['dev'], ['sandbox']])(
  '`%s` without the sandbox prints the package to install',
  async (command) => {
    const folder = await tempFolder('without-sandbox');
    const ended = await start([command], {}, folder, program).finished;
    expect(ended.code).toBe(2);
    expect(ended.stderr.replace(/file:\S+\/docs/, 'docs')).toBe(
      'error The sandbox, @renderline/sandbox, is not installed here.\n  Install it: npm install @renderline/sandbox\n  In a clone of the repository: npm ci\n  SANDBOX_NOT_INSTALLED: docs/errors.md#sandbox_not_installed\n',
    );
  },
);
