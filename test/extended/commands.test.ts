// The commands of a run as a person types them, against `renderline dev`. Commands that only read, or that are
// repeated, are run in this process.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunShape } from '../../src/app/runs/run-shape.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { Report } from '../../src/report/report.ts';
import { runInProcess } from '../system/_in-process.ts';
import { smallModel, writeModels } from '../system/_models.ts';
import {
  type CommandResult,
  type Env,
  type RunningProcess,
  run,
  start,
  tempFolder,
  useProcesses,
  waitUntil,
} from '../system/_stack.ts';

useProcesses();

const pipeline = fileURLToPath(new URL('../../pipelines/catalog.yaml', import.meta.url));
let data: string;
let dev: RunningProcess;
let env: Env;

async function startDev(): Promise<void> {
  dev = start(['dev', '--data', data, '--speed', '20'], {}, data);
  const output = await dev.waitForOutput('Ctrl-C stops everything');
  const lines = [...output.matchAll(/^export (\w+)=(\S+)$/gm)];
  env = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
}

beforeAll(async () => {
  data = await tempFolder('dev');
  await startDev();
});

afterAll(async () => {
  await dev.stop('SIGINT');
});

/** A folder with models and one for pictures, as parameters of the shipped pipeline. */
async function place(files: Record<string, string> = {}) {
  const folder = await tempFolder('models');
  const out = await tempFolder('pictures');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return { folder, out, args: ['--param', `folder=${folder}`, '--param', `out=${out}`] };
}

/** Two models that render immediately. */
async function twoModels() {
  const made = await place();
  await writeModels(made.folder, ['shoe', 'hat']);
  return made;
}

function json<T = RunShape>({ stdout }: CommandResult): T {
  return JSON.parse(stdout) as T;
}

function startedRun({ stdout }: CommandResult): string {
  return json<{ run: string }>({ code: 0, stdout, stderr: '' }).run;
}

describe('run', () => {
  test('run --wait --json prints one object, which matches the delivered files', async () => {
    const { out, args } = await twoModels();
    const ran = await run(['run', pipeline, ...args, '--wait', '--json'], env);
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringMatching(/^Run catalog-/)]);
    const shape = json(ran);
    expect(shape).toMatchObject({
      schema: 'renderline/run/v1',
      pipeline: 'catalog',
      outcome: 'complete',
      destination: out,
      assets: { total: 2, complete: 2, failed: 0, skipped: 0 },
      failures: [],
    });
    expect(shape.run).toMatch(/^catalog-\d{8}-\d{6}-[0-9a-f]{4}$/);
    expect(shape.files).toHaveLength(2);
    for (const { path, bytes, sha256 } of shape.files) {
      const content = readFileSync(join(out, path));
      expect(content).toHaveLength(bytes);
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
    }
    const { total, byOperation } = shape.requests;
    expect(Object.values(byOperation).reduce((a, b) => a + b)).toBe(total);

    const again = json(await runInProcess(['run', pipeline, ...args, '--wait', '--json'], env));
    expect(again).toMatchObject({ outcome: 'complete', assets: { complete: 0, failed: 0 } });
    const plan = json<{ assets: object }>(
      await runInProcess(['plan', pipeline, ...args, '--json'], env),
    );
    expect(plan.assets).toMatchObject({ total: 2, new: 0, changed: 0, unchanged: 2 });
  });

  test('run with a broken file exits with 3, and `show`, `failures` and `find` contain its results', async () => {
    const { folder, args } = await twoModels();
    writeFileSync(join(folder, 'broken.glb'), 'no model at all');
    const ran = await run(['run', pipeline, ...args, '--wait'], env);
    expect(ran.code).toBe(3);
    expect(ran.stdout).toContain('partial failure');
    expect(ran.stdout).toMatch(/NOT_A_GLB at take: 1 asset \(broken\)/);
    const [id = ''] = ran.stdout.split(/\s/);
    const shown = await runInProcess(['show', id, '--json'], env);
    expect(shown.code).toBe(0);
    const shape = json<
      RunShape & { results: Pick<FinalizedAsset, 'key' | 'outcome' | 'platformIds'>[] }
    >(shown);
    expect(shape.results).toHaveLength(3);
    expect(shape.results.find(({ key }) => key === 'broken')?.outcome).toBe('failed');
    expect((await runInProcess(['show', id, '--wait'], env)).code).toBe(3);
    const failures = await runInProcess(['failures', id, '--json'], env);
    expect([failures.code, json<object>(failures)]).toMatchObject([
      0,
      {
        total: 1,
        groups: [{ code: 'NOT_A_GLB', node: 'take', count: 1, keys: ['broken'] }],
      },
    ]);
    const { modelId, jobId, batchId } =
      shape.results.find(({ outcome }) => outcome === 'complete')?.platformIds ?? {};
    const kinds = {
      [`${modelId}`]: 'model',
      [`${jobId}`]: 'render-job',
      [`${batchId}`]: 'render-batch',
    };
    await Promise.all(
      Object.entries(kinds).map(async ([wanted, kind]) => {
        const found = await runInProcess(['find', wanted, '--json'], env);
        expect([found.code, json<object>(found)]).toMatchObject([
          0,
          { kind, found: [{ run: id, state: 'partial_failure' }] },
        ]);
        expect(found.stdout).toContain(`/workflows/${id}%2Fshard-0001`);
      }),
    );
  });

  test('run with `report:` writes a page next to the files, and `report` describes one run as JSON or several on a page', async () => {
    const { folder, out, args } = await twoModels();
    writeFileSync(join(folder, 'broken.glb'), 'no model at all');
    const file = join(folder, 'reported.yaml');
    writeFileSync(file, `${readFileSync(pipeline, 'utf8')}\nreport: reports\n`);
    const id = json(await runInProcess(['run', file, ...args, '--wait', '--json'], env)).run ?? '';
    const page = readFileSync(join(out, 'reports', `${id}.html`), 'utf8');
    expect(page).toContain('href="../hat.png"');
    expect(page).toContain('src="data:image/jpeg;base64,');
    expect(page).toContain('NOT_A_GLB at take: 1 asset');
    expect(page).toContain(`renderline rerun ${id} --failed --where`);

    const made = await runInProcess(['report', id, '--format', 'json', '--output', '-'], env);
    expect(json<Report>(made)).toMatchObject({
      schema: 'renderline/report/v1',
      outcome: 'partial_failure',
      people: [{ what: 'started', by: expect.stringContaining('@') }],
      outputs: [{ key: 'broken' }, { key: 'hat', path: 'hat.png', change: null }, { key: 'shoe' }],
    });
    // The picture in another colour replaces the first one.
    writeFileSync(join(folder, 'shoe.glb'), smallModel('shoe', { color: '#2040a0' }));
    const next = json(await runInProcess(['run', file, ...args, '--wait', '--json'], env));
    const [{ change } = { change: undefined }] = next.files;
    expect(change).toBeGreaterThan(0);
    const all = join(out, 'all.html');
    const since = await runInProcess(['report', '--since', '1h', '--output', all, '--json'], env);
    expect([since.code, json<object>(since)]).toMatchObject([0, { file: all, format: 'html' }]);
    expect(readFileSync(all, 'utf8')).toContain(`href="./reports/${id}.html"`);
  });

  test('run exits with 1 if all files are broken', async () => {
    const { args } = await place({ 'a.glb': 'x' });
    const ran = await runInProcess(['run', pipeline, ...args, '--wait', '--json'], env);
    expect([ran.code, json(ran).outcome]).toEqual([1, 'failed']);
  });

  test('run exits with 0 for an empty folder, and with 5 and the path for a missing folder', async () => {
    const { folder, out, args } = await place();
    const empty = await runInProcess(['run', pipeline, ...args, '--wait', '--json'], env);
    expect([empty.code, json(empty)]).toMatchObject([0, { run: null, outcome: 'complete' }]);
    const lost = join(folder, 'lost');
    const missing = ['--param', `folder=${lost}`, '--param', `out=${out}`];
    const ran = await runInProcess(['run', pipeline, ...missing], env);
    expect([ran.code, ran.stderr]).toEqual([5, expect.stringContaining(lost)]);
  });

  test('run without a worker prints the command that starts one', async () => {
    const { args } = await twoModels();
    const nobody = { ...env, RENDERLINE_TASK_QUEUE: 'nobody' };
    const ran = await run(['run', pipeline, ...args], nobody);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('renderline worker');
  });

  test('run without Temporal exits with 69 within half a minute and prints the command that starts Temporal', async () => {
    const { args } = await twoModels();
    const away = { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const startedAtMs = Date.now();
    const ran = await run(['run', pipeline, ...args, '--json'], away);
    expect([ran.code, Date.now() - startedAtMs < 30_000]).toEqual([69, true]);
    expect(json<object>(ran)).toMatchObject({ schema: 'renderline/error/v1' });
    expect(ran.stderr).toContain('renderline dev');
  });

  test('a run continues after Ctrl-C, while the command exits with 130 and prints how to return to the run', async () => {
    const { args } = await twoModels();
    const waiting = start(['run', pipeline, ...args, '--wait'], env);
    await waiting.waitForOutput(/^Run catalog-/m);
    const left = await waiting.stop('SIGINT');
    expect(left.code).toBe(130);
    const [, id = ''] = /renderline show (\S+) --wait/.exec(left.stderr) ?? [];
    const back = await runInProcess(['show', id, '--wait', '--json'], env);
    expect([back.code, json(back).assets.complete]).toEqual([0, 2]);
  });
});

describe('controlling a run', () => {
  async function startOne() {
    const { args } = await twoModels();
    return startedRun(await runInProcess(['run', pipeline, ...args, '--json'], env));
  }

  test('cancel ends a run, which can no longer be paused afterwards', async () => {
    const id = await startOne();
    const cancelled = await runInProcess(['cancel', id, '--json'], env);
    expect(cancelled.code).toBe(0);
    await waitUntil('the cancel', async () => {
      return json(await runInProcess(['show', id, '--json'], env)).outcome === 'cancelled';
    });
    expect((await runInProcess(['show', id, '--wait'], env)).code).toBe(1);
    expect((await runInProcess(['pause', id], env)).code).toBe(2);
    expect((await runInProcess(['cancel', id], env)).code).toBe(0);
  });

  test('pause holds a run, and resume lets it complete', async () => {
    const id = await startOne();
    const paused = await runInProcess(['pause', id, '--json'], env);
    expect(json<object>(paused)).toMatchObject({ action: 'pause', state: 'paused' });
    expect(json(await runInProcess(['show', id, '--json'], env)).outcome).toBe('paused');
    const resumed = await runInProcess(['resume', id, '--json'], env);
    expect(json<{ state: string }>(resumed).state).not.toBe('paused');
    expect((await runInProcess(['show', id, '--wait'], env)).code).toBe(0);
  });

  test.each(['show', 'cancel', 'pause', 'resume'])(
    '%s of an unknown run exits with 5',
    async (command) => {
      const ran = await runInProcess([command, 'no-such-run', '--json'], env);
      expect([ran.code, json<object>(ran)]).toMatchObject([5, { code: 'RUN_NOT_FOUND' }]);
    },
  );
});

describe('a cause that affects the whole run', () => {
  async function setFaults(rules: object[]): Promise<void> {
    const { origin } = new URL(env['RENDERLINE_BASE_URL'] ?? '');
    const answer = await fetch(`${origin}/_sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(rules),
    });
    expect(answer.ok).toBe(true);
  }

  test.each([
    [401, 'INVALID_API_KEY', 4],
    [403, 'PLAN_LIMIT_REACHED', 75],
  ])(
    'the response %d %s pauses a run with an exit code and a fix, and resuming completes the run',
    async (status, code, exit) => {
      const { args } = await twoModels();
      await setFaults([{ match: 'createProjects', times: 1, do: { status, code, message: 'no' } }]);
      const ran = await runInProcess(['run', pipeline, ...args, '--wait', '--json'], env);
      await setFaults([]);
      expect(ran.code).toBe(exit);
      const error = json<{ code: string; fix: string; run: string }>(ran);
      expect(error).toMatchObject({ schema: 'renderline/error/v1', code });
      expect(error.fix).toContain(`renderline resume ${error.run}`);
      expect(json(await runInProcess(['show', error.run, '--json'], env)).outcome).toBe('paused');
      expect((await runInProcess(['show', error.run, '--wait'], env)).code).toBe(exit);
      expect((await runInProcess(['resume', error.run], env)).code).toBe(0);
      const end = await runInProcess(['show', error.run, '--wait', '--json'], env);
      expect([end.code, json(end).assets]).toMatchObject([0, { complete: 2, failed: 0 }]);
    },
  );
});

describe('dev', () => {
  interface Runs {
    runs: { run: string; state: string }[];
  }

  test('doctor finds no problems while `dev` is running', async () => {
    const ran = await run(['doctor', '--json'], env);
    const { checks } = json<{ checks: { name: string; state: string; message: string }[] }>(ran);
    expect(checks.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'receiver', state: 'ok' }));
    expect(ran.code).toBe(0);
  });

  test('a second `dev` for the same folder is refused', async () => {
    const second = await run(['dev', '--data', data], {}, data);
    expect([second.code, second.stderr]).toEqual([75, expect.stringContaining('--data')]);
  });

  test("restarting `dev` keeps the runs and the platform's data, and an earlier run can still be shown", async () => {
    const { args } = await twoModels();
    const made = await runInProcess(['run', pipeline, ...args, '--wait', '--json'], env);
    const id = json(made).run ?? '';
    const health = new URL('/health', env['RENDERLINE_WAKE_UPS_URL']);
    const { notifications } = (await (await fetch(health)).json()) as {
      notifications: Record<string, number>;
    };
    // Two models, projects and renders: the receiver has accepted the notifications of the sandbox.
    expect(notifications['accepted']).toBeGreaterThanOrEqual(6);
    const key = env['RENDERLINE_API_KEY'];
    const stopped = await dev.stop('SIGINT');
    expect(stopped.code).toBe(0);
    const unanswered = await runInProcess(['runs', '--json'], env);
    // A server of another test may have taken the port in the meantime.
    const runsThere = unanswered.code === 69 ? [] : json<Runs>(unanswered).runs;
    expect(runsThere.map(({ run: listed }) => listed)).not.toContain(id);
    await startDev();
    expect(env['RENDERLINE_API_KEY']).toBe(key);
    const { runs } = json<Runs>(await runInProcess(['runs', '--json'], env));
    expect(runs.find(({ run: listed }) => listed === id)?.state).toBe('complete');
    expect(json(await runInProcess(['show', id, '--json'], env)).files).toHaveLength(2);
    const models = await runInProcess(['api', 'listModels', '--json'], env);
    expect(json<{ result: { total: number } }>(models).result.total).toBeGreaterThanOrEqual(2);
  });
});

/** An empty folder for a demo. */
async function demoFolder(): Promise<string> {
  const out = join(await tempFolder('demo'), 'here');
  mkdirSync(out);
  return out;
}

test('demo writes pictures and a contact sheet, and prints exactly the expected lines', async () => {
  const out = await demoFolder();
  const { code, stdout, stderr } = await run(['demo', '--out', out, '--speed', '20'], {}, out);
  expect(code).toBe(0);
  const lines = [
    /^Catalog: 10 models in /,
    /^Sandbox: http:/,
    /^Temporal dev server: using /,
    /^Receiver: http:/,
    /^Worker: task queue /,
    /^Run \S+: http:\S+$/,
    // The progress at that moment.
    /^(discovering|running|finished): /,
    /^catalog-\S+ {2}complete$/,
    /^ {2}(assets|cost|paid|files) /,
    /^Pictures: /,
    /^Contact sheet: .*\.html$/,
    /^ +\S+\.png$/,
    // The address no longer responds.
    /^Temporal UI: +stopped with the demo; --keep keeps the server running$/,
  ];
  const others = `${stderr}\n${stdout}`
    .split('\n')
    .filter((line) => line !== '' && !lines.some((known) => known.test(line)));
  expect(others).toEqual([]);
  expect(stdout).toMatch(/^Temporal UI: /m);
  const sheet = readFileSync(join(out, 'contact-sheet.html'), 'utf8');
  expect(sheet).toMatch(/<div class="key">kitchen\/teapot</);
});

test('demo --colorways --json writes a contact sheet of the grid and leaves nothing running', async () => {
  const out = await demoFolder();
  const args = ['demo', '--colorways', '--json', '--out', out, '--speed', '20'];
  const ran = await run(args, {}, out);
  expect(ran.code).toBe(0);
  const shape = json<
    RunShape & { temporalUi: string; sandbox: string; contactSheet: { html: string; png: string } }
  >(ran);
  expect(shape.outcome).toBe('complete');
  expect(readFileSync(shape.contactSheet.html, 'utf8')).toMatch(
    /<th scope="col">Walnut and Moss<.*<th scope="row">living\/<wbr>chair<(.*?<img){8}.*not in the table</s,
  );
  expect(readFileSync(shape.contactSheet.png).subarray(1, 4).toString()).toBe('PNG');
  expect(shape.temporalUi).toContain(`/workflows/${shape.run}`);
  await expect(fetch(shape.sandbox)).rejects.toThrow();
  await expect(fetch(shape.temporalUi)).rejects.toThrow();
});
