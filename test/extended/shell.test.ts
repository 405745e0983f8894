// How commands end if something they need is missing: exit code, reason, commands to type, all within half a minute.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  errorOf,
  expectPictures,
  type PipelineFolder,
  reportOf,
  runArguments,
  startRun,
  useProduct,
} from '../system/_runs.ts';
import {
  type CommandResult,
  type Env,
  program,
  run,
  start,
  useProcesses,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal);

/** A port that nothing listens on. */
const nowhere = '127.0.0.1:9';

async function placeWith(prefix: string, count: number): Promise<PipelineFolder> {
  const place = await createPipelineFolder(prefix);
  await writeModels(place.folder, names(prefix, count));
  return place;
}

/** Runs a command and fails when it takes longer than half a minute. */
async function quickly(args: string[], env: Env): Promise<CommandResult> {
  const startedAtMs = Date.now();
  const finished = await run(args, env);
  expect(Date.now() - startedAtMs).toBeLessThan(30_000);
  return finished;
}

describe.runIf(existsSync('/proc/self/limits'))('a shell with a low limit on open files', () => {
  test.each([64, 128])(
    'a worker limited to %i open files exits with an error that suggests `ulimit -n 8192`',
    async (limit) => {
      const platform = {
        RENDERLINE_BASE_URL: `http://${nowhere}/api/v1`,
        RENDERLINE_API_KEY: 'svc_x_y',
      };
      const { code, stderr } = await underLimit(limit, ['worker'], platform);
      expect(stderr).toMatch(/^error .*(EMFILE|may open only)/);
      expect(stderr).toContain('ulimit -n 8192');
      expect(code).toBeGreaterThan(0);
    },
  );
});

async function underLimit(limit: number, args: string[], env: Env): Promise<CommandResult> {
  const line = ['-c', `ulimit -n ${limit} && exec "$0" "$@"`, process.execPath, program, ...args];
  const child = spawn('/bin/sh', line, { env: { ...env, NO_COLOR: '1' }, stdio: 'pipe' });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number | null, stdout, stderr };
}

describe('Ctrl-C', () => {
  test('Ctrl-C leaves the run open and prints how to wait for it, and `show --wait` then returns its report', async () => {
    await product.sandbox.set('faults', [{ render: '**', do: { durationMs: 3_000 } }]);
    const place = await placeWith('interrupted', 3);
    const running = start(runArguments(place, '--wait', '--json'), product.env);
    await running.waitForOutput(/^Run \S+\s/m);
    const finished = await running.stop('SIGINT');
    const { run: id = '', message, fix } = errorOf(finished, 130);
    expect(message).toContain('continues');
    expect(fix).toContain(`renderline show ${id} --wait`);
    const report = reportOf(await run(['show', id, '--wait', '--json'], product.env));
    await expectPictures(report, names('interrupted', 3));
    await product.sandbox.set('faults', []);
  });
});

describe('something that a command needs is missing', () => {
  test('a command without Temporal exits with 69 and prints the commands to type', async () => {
    const place = await placeWith('no-temporal', 1);
    const env = { ...product.env, TEMPORAL_ADDRESS: nowhere };
    const finished = await quickly(runArguments(place, '--wait', '--json'), env);
    const { code, message, fix } = errorOf(finished, 69);
    expect(code).toBe('TEMPORAL_UNREACHABLE');
    expect(message).toContain(nowhere);
    expect(fix).toContain('renderline dev');
    expect(fix).toContain('TEMPORAL_ADDRESS');
    expect((await quickly(['worker'], env)).code).toBe(69);
  });

  test.each(['worker', 'api getMe', 'doctor', 'run'])(
    "`%s` exits with 69 and prints the platform's address if the platform is unreachable",
    async (command) => {
      const env = { ...product.env, RENDERLINE_BASE_URL: `http://${nowhere}/api/v1` };
      const place = await placeWith('no-platform', 1);
      const args = command === 'run' ? runArguments(place, '--wait') : command.split(' ');
      const finished = await quickly(args, env);
      expect(finished.code, finished.stderr).toBe(69);
      expect(finished.stdout + finished.stderr).toContain(nowhere);
    },
  );

  test('a run without its folder exits with 5 and prints the path', async () => {
    const place = await createPipelineFolder('no-folder');
    const missing = { ...place, folder: join(place.root, 'misspelt') };
    const finished = await quickly(runArguments(missing, '--wait', '--json'), product.env);
    expect(errorOf(finished, 5).message).toContain(missing.folder);
  });

  test('a run without its pipeline file exits with 2 or 5 and prints the path', async () => {
    const place = await createPipelineFolder('no-file');
    const missing = { ...place, file: join(place.root, 'misspelt.yaml') };
    const finished = await quickly(runArguments(missing, '--json'), product.env);
    expect([2, 5]).toContain(finished.code);
    expect(finished.stdout).toContain('misspelt.yaml');
  });

  test('a run over a folder without models exits with 0 and prints a message', async () => {
    const place = await createPipelineFolder('empty');
    await writeFile(join(place.folder, 'notes.txt'), 'no model');
    const finished = await quickly(runArguments(place, '--wait'), product.env);
    expect(finished.code).toBe(0);
    expect(finished.stdout).toContain(
      `No files found for pictures in local folder ${place.folder}. Nothing was started.`,
    );
    expect(
      reportOf(await quickly(runArguments(place, '--wait', '--json'), product.env)),
    ).toMatchObject({ outcome: 'complete', assets: { total: 0 } });
  });
});

describe('files that cannot be read', () => {
  const root = process.getuid?.() === 0;
  if (root) {
    process.stderr.write('skipped: root reads a file of mode 000, so it cannot be unreadable\n');
  }

  test.skipIf(root)(
    'files that cannot be read fail with UNREADABLE, and the others are delivered',
    async () => {
      const place = await placeWith('unreadable', 3);
      await chmod(join(place.folder, 'unreadable-02.glb'), 0o000);
      const report = reportOf(await startRun(place, product.env).finished, 3);
      expect(report.failures).toMatchObject([{ key: 'unreadable-02', code: 'UNREADABLE' }]);
      expect(report.assets.complete).toBe(2);
    },
  );

  test('folders whose names look like models are ignored', async () => {
    const place = await placeWith('folder', 2);
    await mkdir(join(place.folder, 'folder-03.glb'));
    const report = reportOf(await startRun(place, product.env).finished);
    await expectPictures(report, names('folder', 2));
  });
});

describe('an invalid pipeline file', () => {
  const broken: [string, string, RegExp][] = [
    ['YAML that does not parse', 'name: a\nnodes: [', /^broken\.yaml:2:\d+ /m],
    [
      'an unknown node type',
      'name: a\nnodes:\n  - { id: shots, type: rendr }\n',
      /^broken\.yaml:3:24 .*rendr/m,
    ],
    [
      'an unknown parent',
      [
        'name: a',
        'connectors: { m: { type: local, path: . } }',
        'records: m',
        'nodes:',
        '  - { id: take, type: connector_poll, config: { connector: m } }',
        '  - { id: ready, type: model_ready, parentIds: [taek] }',
      ].join('\n'),
      /^broken\.yaml:6:49 .*taek/m,
    ],
  ];

  test.each(broken)(
    '%s causes exit code 2, and each problem starts with file:line:col',
    async (_name, text, line) => {
      const place = await createPipelineFolder('broken');
      await writeFile(join(place.root, 'broken.yaml'), text);
      for (const command of [
        ['validate', 'broken.yaml'],
        ['run', 'broken.yaml'],
      ]) {
        const finished = await run(command, product.env, place.root);
        expect(finished.code, finished.stderr).toBe(2);
        expect(finished.stdout + finished.stderr).toMatch(line);
      }
    },
  );
});
