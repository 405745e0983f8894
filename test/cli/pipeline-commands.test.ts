import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { writeCatalog } from '../../packages/sandbox/src/demo/catalog.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

const good = `name: trial
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 0s } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;
const bad = good.replace('type: render', 'type: rendr').replace('[take]', '[tak]');
// No command in this file may find a Temporal server.
const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
const params = ['--param', 'folder=in', '--param', 'out=out'];

describe('schema', () => {
  test('schema prints the schema that `init` writes, as a field if --json is given', async () => {
    const cwd = folderWith();
    await run(['init'], { cwd });
    const written = readFileSync(join(cwd, 'renderline.schema.json'), 'utf8');
    const plain = await run(['schema'], { cwd });
    expect([plain.code, plain.stdout]).toEqual([0, written]);
    expect((await run(['schema', '--json'], { cwd })).json()).toEqual({
      schema: 'renderline/schema/v1',
      jsonSchema: JSON.parse(written) as unknown,
    });
  });
});

describe('validate', () => {
  test('validate exits with 0 for valid files', async () => {
    const ran = await run(['validate', 'a.yaml'], { cwd: folderWith({ 'a.yaml': good }) });
    expect([ran.code, ran.stdout]).toEqual([0, 'valid    a.yaml\n']);
  });

  test('validate prints all problems of all files with their positions, and exits with 2', async () => {
    const cwd = folderWith({ 'a.yaml': good, 'b.yaml': bad });
    const ran = await run(['validate', 'a.yaml', 'b.yaml', 'c.yaml'], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stdout).toMatch(/^b\.yaml:11:\d+ error RL\d+ .*"rendr"/m);
    expect(ran.stdout).toMatch(/^b\.yaml:10:\d+ error RL\d+ .*"tak"/m);
    expect(ran.stdout).toMatch(/^c\.yaml:1:1 error/m);
    expect(ran.stdout).toMatch(
      /valid {4}a\.yaml\ninvalid {2}b\.yaml: 2 problems\ninvalid {2}c\.yaml/,
    );
  });

  test('validate skips settings and tests that a shell pattern matches, as it does in a folder', async () => {
    const others = { 'a.test.yaml': 'tests: []\n', 'renderline.yaml': '# baseUrl: …\n' };
    const cwd = folderWith({ 'a.yaml': good, ...others });
    for (const named of [['a.yaml', ...Object.keys(others)], ['.']])
      expect(await run(['validate', ...named], { cwd })).toMatchObject({
        code: 0,
        stdout: 'valid    a.yaml\n',
      });
  });

  test('validate --json prints the same problems as data', async () => {
    const cwd = folderWith({ 'a.yaml': good, 'b.yaml': bad });
    const ran = await run(['validate', 'a.yaml', 'b.yaml', '--json'], { cwd });
    const shape = ran.json<{ valid: boolean; files: { valid: boolean; problems: object[] }[] }>();
    expect(shape).toMatchObject({ schema: 'renderline/validate/v1', valid: false });
    expect(shape.files.map(({ valid }) => valid)).toEqual([true, false]);
    expect(shape.files[1]?.problems[0]).toMatchObject({
      code: expect.stringMatching(/^RL\d+$/) as string,
      file: 'b.yaml',
      line: expect.any(Number) as number,
      col: expect.any(Number) as number,
    });
  });
});

describe('graph', () => {
  test.each([
    ['terminal', /take .*connector_poll[\s\S]*deliver .*export/],
    ['mermaid', /^flowchart/],
    ['dot', /^digraph/],
  ])('graph draws the format %s', async (format, expected) => {
    const cwd = folderWith({ 'a.yaml': good });
    const ran = await run(['graph', 'a.yaml', '--format', format], { cwd });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toMatch(expected);
    const machine = await run(['graph', 'a.yaml', '--format', format, '--json'], { cwd });
    expect(machine.json()).toMatchObject({ schema: 'renderline/graph/v1', format });
  });

  test('graph does not draw an invalid file, and exits with 2 and its problems', async () => {
    const ran = await run(['graph', 'b.yaml', '--json'], { cwd: folderWith({ 'b.yaml': bad }) });
    expect(ran.code).toBe(2);
    const error = ran.json<{ code: string; problems: object[] }>();
    expect(error.code).toBe('INVALID_PIPELINE');
    expect(error.problems.length).toBeGreaterThan(0);
  });

  test('graph refuses an unknown format as a usage error', async () => {
    const cwd = folderWith({ 'a.yaml': good });
    expect((await run(['graph', 'a.yaml', '--format', 'svg'], { cwd })).code).toBe(2);
  });
});

describe('plan', () => {
  async function folder(pipeline = good) {
    const cwd = folderWith({ 'a.yaml': pipeline });
    await writeCatalog(join(cwd, 'in'));
    return cwd;
  }

  test('plan prints the work and its cost, and writes no file', async () => {
    const cwd = await folder();
    const ran = await run(['plan', 'a.yaml', ...params, '--json'], { cwd, env });
    expect(ran.code).toBe(0);
    expect(ran.json()).toMatchObject({
      schema: 'renderline/plan/v1',
      pipeline: 'trial',
      assets: { total: 10, new: 10, changed: 0, unchanged: 0, refused: 0 },
      renders: 10,
      windows: null,
      sinceLastRun: null,
      quota: null,
      excess: [],
    });
    expect(readdirSync(cwd).sort()).toEqual(['a.yaml', 'in']);
  });

  test('plan prints steps, requests by operation, and time', async () => {
    const world = { cwd: await folder(), env: { ...env, RENDERLINE_RATE_LIMIT: '5' } };
    const { stdout } = await run(['plan', 'a.yaml', ...params], world);
    expect(stdout).toMatch(/assets\s+10 files: 10 new, 0 changed, 0 unchanged/);
    expect(stdout).toMatch(/1 {2}createJob/);
    expect(stdout).toMatch(/windows of 60 s/);
  });

  test.each([
    [
      'canary: { assets: 3, timeout: 12h }\ntolerate: { failures: 1 }',
      'canary    the first 3 assets, then approval within 12h\ntolerates up to 1 asset failing, then stops',
    ],
    [
      'canary: { assets: 10 }\ntolerate: { failures: "5%", onBreach: pause }',
      'canary    no approval needed: the canary covers all assets\ntolerates up to 5% of the assets failing, then pauses',
    ],
  ])('plan prints the meaning of %s', async (fields, lines) => {
    const world = { cwd: await folder(`${good}${fields}\n`), env };
    expect((await run(['plan', 'a.yaml', ...params], world)).stdout).toContain(`\n${lines}\n`);
  });

  test('plan does not count assets that `when:` excludes, and shows a maximum for a condition that only the run can decide', async () => {
    const planned = async (when: string) => {
      const world = {
        cwd: await folder(good.replace('type: render,', `type: render, when: '${when}',`)),
        env,
      };
      const answer = (await run(['plan', 'a.yaml', ...params, '--json'], world)).json<{
        renders: number;
        max: boolean;
        steps: { id: string; assets: number; undecided: number }[];
      }>();
      const { stdout } = await run(['plan', 'a.yaml', ...params], world);
      const { id: _id, ...shots } = answer.steps.find(({ id }) => id === 'shots') ?? { id: '' };
      return { ...answer, ...shots, stdout };
    };
    const chairs = await planned('asset.name == "chair"');
    expect(chairs).toMatchObject({ renders: 1, max: false, assets: 1, undecided: 0 });
    expect(chairs.stdout).toMatch(/shots .* for 1 of 10 assets\n[^]*\nrenders {3}1 job\n/);
    const late = await planned('model.id != ""');
    expect(late).toMatchObject({ renders: 10, max: true, assets: 10, undecided: 10 });
    expect(late.stdout).toMatch(
      /shots .* for at most 10 of 10 assets\n[^]*\nrenders {3}at most 10 jobs\n/,
    );
  });

  test('plan lists files that the run will refuse, states the reasons, and does not count their renders', async () => {
    const cwd = folderWith({ 'a.yaml': good });
    await mkdir(join(cwd, 'in'));
    const files = {
      'sound.glb': triangleGlb(),
      'tail.glb': Buffer.concat([triangleGlb(), Buffer.alloc(4)]),
      'cut.glb': triangleGlb().subarray(0, -8),
      'gz.glb': gzipSync(triangleGlb()),
      'chair.obj': 'mtllib chair.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n',
      'chair.mtl': 'map_Kd wood.png\n',
    };
    for (const [name, bytes] of Object.entries(files))
      await writeFile(join(cwd, 'in', name), bytes);
    const ran = await run(['plan', 'a.yaml', ...params, '--json'], { cwd, env });
    expect(ran.json()).toMatchObject({
      assets: { total: 5, new: 3, refused: 2 },
      renders: 3,
      refusals: [
        { key: 'cut', code: 'TRUNCATED' },
        { key: 'gz', code: 'NOT_A_GLB' },
      ],
      warnings: [
        { key: 'chair', message: expect.stringContaining('("chair.mtl", "wood.png")') },
        { key: 'tail', message: expect.stringContaining('The header declares') },
      ],
    });
    expect(ran.stderr).toMatch(/refused gz: NOT_A_GLB: .* it is gzip; unpack it\./);
    expect(ran.stderr).toMatch(/warning chair: /);
    const plain = await run(['plan', 'a.yaml', ...params], { cwd, env });
    expect(plain.stdout).toContain('5 files: 3 new, 0 changed, 0 unchanged, 2 refused');
    const dry = await run(['run', 'a.yaml', ...params, '--dry-run', '--json'], { cwd, env });
    const { requests } = ran.json<{ requests: { total: number; max: number } }>();
    const cost = { requests: requests.total, maxRequests: requests.max };
    expect(dry.json()['preview']).toMatchObject({ new: 3, refused: 2, renders: 3, ...cost });
    const shown = await run(['run', 'a.yaml', ...params, '--dry-run'], { cwd, env });
    expect(shown.stdout).toContain(`about ${requests.total} to ${requests.max} requests`);
    // Refused files do not count against limits.
    await writeFile(join(cwd, 'b.yaml'), good.replace('nodes:', 'limits: { renders: 3 }\nnodes:'));
    expect((await run(['plan', 'b.yaml', ...params], { cwd, env })).code).toBe(0);
    const capped = await run(['run', 'b.yaml', ...params], { cwd, env });
    expect(capped.stderr).not.toContain('limits.renders');
  });

  test('plan reports slots and variants that files lack or have twice', async () => {
    const rules = (text: string, mode: string) =>
      `{ swapRules: [{ matchText: ${text}, matchMode: ${mode}, material: Oak }] }`;
    const chooses = (config: string, more = '') =>
      good
        .replace('parentIds: [ready]', 'parentIds: [v]')
        .replace(
          'nodes:\n',
          `nodes:\n  - { id: v, type: variant, parentIds: [ready]${more}, config: ${config} }\n`,
        );
    const findings = async (text: string) => {
      const cwd = folderWith({ 'a.yaml': text });
      await mkdir(join(cwd, 'in'));
      await writeFile(join(cwd, 'in', 'chair.glb'), triangleGlb(['Red', 'Red']));
      await writeFile(join(cwd, 'in', 'couch.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
      const ran = await run(['plan', 'a.yaml', ...params, '--json'], { cwd, env });
      expect(ran.code, ran.stderr).toBe(0);
      return ran.json()['slots'];
    };
    expect(await findings(good)).toBeNull();
    expect(await findings(chooses(rules('BODY', 'contains')))).toEqual({
      inspected: 1,
      notInspected: 0,
      findings: [],
    });
    expect(await findings(chooses(rules('BODY', 'exact')))).toMatchObject({
      findings: [
        { key: 'chair', node: 'v', code: 'COLORWAY_NO_SLOT', message: /"body", "other"/ },
      ].map((finding) => ({ ...finding, message: expect.stringMatching(finding.message) })),
    });
    expect(await findings(chooses('{ choose: { names: [Red, Blue, "*een"] } }'))).toMatchObject({
      findings: [{ code: 'VARIANT_AMBIGUOUS' }, { code: 'VARIANT_NOT_FOUND' }],
    });
    const passed = ', when: \'asset.name != "chair"\'';
    expect(await findings(chooses(rules('sole', 'exact'), passed))).toMatchObject({ findings: [] });
  });

  test('plan shows an exceeded limit and exits with 2, and `run` is refused before it starts', async () => {
    const capped = good.replace('nodes:', 'limits: { renders: 9 }\nnodes:');
    const world = { cwd: await folder(capped), env };
    const plan = await run(['plan', 'a.yaml', ...params, '--json'], world);
    expect(plan.code).toBe(2);
    expect(plan.json()['excess']).toEqual([{ limit: 'renders', allowed: 9, planned: 10 }]);
    const ran = await run(['run', 'a.yaml', ...params, '--json'], world);
    expect([ran.code, ran.json()]).toMatchObject([2, { code: 'LIMIT_EXCEEDED' }]);
  });
});

describe('run', () => {
  test('run with missing parameters exits with 2, and prints the flag to use', async () => {
    const cwd = folderWith({ 'a.yaml': good });
    const ran = await run(['run', 'a.yaml'], { cwd, env });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('--param folder=');
  });

  test('run with an unknown parameter exits with 2', async () => {
    const cwd = folderWith({ 'a.yaml': good });
    const ran = await run(['run', 'a.yaml', ...params, '--param', 'foldr=x'], { cwd, env });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('foldr');
  });

  test.each(['run', 'plan'])(
    'without its folder, %s exits with 5, and prints the path',
    async (command) => {
      const cwd = folderWith({ 'a.yaml': good });
      const ran = await run([command, 'a.yaml', ...params], { cwd, env });
      expect(ran.code).toBe(5);
      expect(ran.stderr).toContain(`local folder ${join(cwd, 'in')} does not exist`);
      expect(ran.stderr).toContain('or create the folder on the worker');
    },
  );

  test('run with an empty folder has nothing to do, and exits with 0 without a server', async () => {
    const cwd = folderWith({ 'a.yaml': good, 'in/readme.txt': 'no model' });
    const ran = await run(['run', 'a.yaml', ...params, '--wait'], { cwd, env });
    const text = `No files found for trial in local folder ${join(cwd, 'in')}. Nothing was started.\n`;
    expect([ran.code, ran.stdout]).toEqual([0, text]);
    const machine = await run(['run', 'a.yaml', ...params, '--json'], { cwd, env });
    expect(machine.json()).toMatchObject({ schema: 'renderline/run/v1', run: null, files: [] });
  });

  test('run without Temporal exits with 69, and prints the lines to type', async () => {
    const cwd = folderWith({ 'a.yaml': good, 'in/a.glb': 'x' });
    const place = { cwd, env: { ...env, RENDERLINE_TASK_QUEUE: 'q' } };
    const ran = await run(['run', 'a.yaml', ...params, '--json'], place);
    expect([ran.code, ran.json()]).toMatchObject([69, { code: 'TEMPORAL_UNREACHABLE' }]);
    expect(ran.stderr).toContain('renderline dev');
  });

  test('run without a task queue and without a platform exits with 2, and prints the lines to type', async () => {
    const cwd = folderWith({ 'a.yaml': good, 'in/a.glb': 'x' });
    const ran = await run(['run', 'a.yaml', ...params, '--json'], { cwd, env });
    expect([ran.code, ran.json()]).toMatchObject([2, { code: 'PLATFORM_NOT_SET' }]);
    expect(ran.stderr).toContain('renderline dev');
  });
});
