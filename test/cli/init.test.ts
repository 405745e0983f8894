import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../src/cli/program.ts';
import { purposes } from '../../src/compile/starters/index.ts';
import { bareJson, makeGlb } from '../glb/_make-glb.ts';
import { createIo } from './_fake-io.ts';
import { folderWith } from './_folder.ts';
import { run } from './_run-cli.ts';

/** Input typed at a terminal. */
async function typed(cwd: string, argv: readonly string[], answers: string) {
  const { io, stdout, stderr } = createIo({ cwd, stdin: answers });
  const stdin = Object.assign(io.stdin, { isTTY: true });
  const code = await runCli(['init', ...argv], { ...io, stdin });
  return { code, stdout: stdout.plain, stderr: stderr.plain };
}

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

test.each(purposes)('the files for %s are valid and can be drawn', async (purpose) => {
  const cwd = folderWith({ 'new/models/chair.glb': 'not read' });
  const made = await run(['init', 'new', '--for', purpose, '--json'], { cwd });
  expect([made.code, made.json()]).toMatchObject([
    0,
    { schema: 'renderline/init/v1', for: purpose, folder: join(cwd, 'new'), kept: [] },
  ]);
  const inside = join(cwd, 'new');
  const file = `${purpose}.yaml`;
  expect((await run(['validate', file], { cwd: inside })).stdout).toBe(`valid    ${file}\n`);
  expect((await run(['graph', file], { cwd: inside })).stdout).toContain('export');
  // All written settings are commented out, so they have no effect.
  expect((await run(['api', '--list'], { cwd: inside })).code).toBe(0);
  expect(read(inside, 'renderline.yaml')).toContain('RENDERLINE_API_KEY');
});

describe('without a terminal', () => {
  test('init writes a catalog of the folder with models, and prints the next commands', async () => {
    const cwd = folderWith({ 'notes/a.txt': '', 'stock/shoes/red.GLB': '', 'stock/hat.fbx': '' });
    const { code, stdout } = await run(['init'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^wrote catalog\.yaml\nwrote catalog\.test\.yaml\nwrote renderline\.yaml\nwrote renderline\.schema\.json\nwrote renderline-test\.schema\.json\nfound 2 models in stock\n/,
    );
    expect(stdout).toMatch(/ {2}renderline run catalog\.yaml --wait/);
    expect(read(cwd, 'catalog.yaml')).toContain('default: "stock"');
    expect(read(cwd, 'catalog.yaml')).toContain('# - { glob: "shoes/**"');
  });

  test('in an empty folder, init expects models in `models`, and reports that there are none', async () => {
    const cwd = folderWith();
    const { stdout } = await run(['init', 'my shop'], { cwd });
    expect(stdout).toContain('found 0 models in models');
    expect(stdout).toContain("renderline init 'my shop' --for catalog --yes --samples");
    expect(stdout).toContain("  cd 'my shop'\n");
  });

  test('init adds samples later, and keeps the files that it wrote before', async () => {
    const cwd = folderWith();
    await run(['init', '--yes'], { cwd });
    writeFileSync(join(cwd, 'catalog.yaml'), '# mine');
    const { code, stdout } = await run(['init', '--yes', '--samples'], { cwd });
    expect([code, read(cwd, 'catalog.yaml')]).toEqual([0, '# mine']);
    expect(stdout).toMatch(/kept {2}catalog\.yaml[\s\S]*found 1\d models/);
  });

  test('init writes the absolute path of a folder elsewhere', async () => {
    const cwd = folderWith({ 'stock/a.glb': '' });
    await run(['init', 'new', '--models', 'stock'], { cwd });
    expect(read(cwd, 'new/catalog.yaml')).toContain(`default: "${join(cwd, 'stock')}"`);
  });

  test('init writes samples, and a table of colorways with their slots', async () => {
    const cwd = folderWith();
    const { stdout } = await run(['init', '--for', 'colorways', '--samples'], { cwd });
    expect(stdout).toMatch(/found 1\d models in 2 folders in models/);
    const table = read(cwd, 'colorways.csv').split('\n');
    expect(table[0]).toBe('\uFEFFmodel,colorway,slot,material');
    expect(table).toContain('living/chair,Oak,seat,Oak');
    expect(table).toContain('living/chair,Navy,seat,Navy');
  });

  test('init refuses an unknown purpose, and lists the known ones', async () => {
    const { code, stderr } = await run(['init', '--for', 'videos'], { cwd: folderWith() });
    expect(code).toBe(2);
    expect(stderr).toContain('catalog, colorways, factory-sheets, events');
  });
});

describe('at a terminal', () => {
  test('init asks for the purpose, the folder, and whether to add samples to an empty folder', async () => {
    const cwd = folderWith();
    const { code, stdout, stderr } = await typed(cwd, [], 'x\n3\nstuff\n\n');
    expect(stderr).toContain('3  factory-sheets');
    expect(stderr).toContain('Please enter one of the numbers or names.');
    expect(stderr).toContain('Folder with your models [models]: ');
    expect(stderr).toContain('No models in stuff yet. Create sample models there? [Y/n] ');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /wrote factory-sheets\.yaml\n[^]*found 1\d models in 2 folders in stuff/,
    );
  });

  test('init uses the defaults when a person presses Enter', async () => {
    const cwd = folderWith({ 'stock/a.glb': '' });
    const { stdout, stderr } = await typed(cwd, [], '\n\n');
    expect(stderr).toContain('Folder with your models [stock] (1 model): ');
    expect(stdout).toContain('found 1 model in stock');
  });

  test('init asks no questions with --yes', async () => {
    expect((await typed(folderWith(), ['--yes'], '')).stderr).toBe('');
  });
});

describe('existing files', () => {
  test('if files exist, init neither overwrites them nor writes other files', async () => {
    const cwd = folderWith({ 'catalog.yaml': 'mine' });
    const ran = await run(['init'], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('catalog.yaml');
    expect(read(cwd, 'catalog.yaml')).toBe('mine');
    expect(existsSync(join(cwd, 'renderline.yaml'))).toBe(false);
  });

  test.each([
    ['init', 'a.txt'],
    ['init', 'new', '--models', 'a.txt'],
  ])('existing files in place of a folder are refused: %s %s', async (...argv) => {
    const cwd = folderWith({ 'a.txt': 'mine' });
    const { code, stderr } = await run(argv, { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${join(cwd, 'a.txt')} is a file`)]);
    expect(existsSync(join(cwd, 'new'))).toBe(false);
  });

  test('the first table contains slots with unique names, and a note reports models without such slots', async () => {
    const cwd = folderWith();
    mkdirSync(join(cwd, 'stock'));
    const models = {
      'all shared': ['Fabric', 'Fabric'],
      plain: ['Wood', 'Steel'],
      'some shared': ['Fabric', 'Fabric', 'Legs'],
      spaces: ['Seat ', 'Back'],
    };
    for (const [name, materials] of Object.entries(models)) {
      const json = { ...bareJson, materials: materials.map((one) => ({ name: one })) };
      writeFileSync(join(cwd, 'stock', `${name}.glb`), makeGlb(json));
    }
    const { stderr } = await run(['init', '--for', 'colorways', '--models', 'stock'], { cwd });
    const slots = read(cwd, 'colorways.csv').split('\n').slice(1, -1);
    expect(slots.filter((row) => row.includes(',Oak,'))).toEqual([
      'plain,Oak,Wood,Oak',
      'some shared,Oak,Legs,Oak',
      'spaces,Oak,Back,Oak',
    ]);
    expect(stderr).toContain(
      'Not in colorways.csv: all shared.glb. None of the slots has a unique name.',
    );
  });

  test.each([['catalog'], ['colorways'], ['factory-sheets']])(
    'a missing folder of models is refused for %s, and --samples creates it',
    async (purpose) => {
      const cwd = folderWith();
      const argv = ['init', 'new', '--for', purpose, '--models', 'nowhere'];
      const { code, stderr } = await run(argv, { cwd });
      expect([code, stderr]).toEqual([5, expect.stringContaining(join(cwd, 'nowhere'))]);
      expect(stderr).toContain('nothing was written');
      expect(existsSync(join(cwd, 'new'))).toBe(false);
      expect((await run([...argv, '--samples'], { cwd })).code).toBe(0);
      expect(existsSync(join(cwd, 'nowhere'))).toBe(true);
    },
  );

  test('a second pipeline keeps the settings of the first', async () => {
    const cwd = folderWith({ 'renderline.yaml': '# mine\n' });
    const { stdout } = await run(['init', '--for', 'events'], { cwd });
    expect(stdout).toContain('kept  renderline.yaml');
    expect(read(cwd, 'renderline.yaml')).toBe('# mine\n');
  });
});
