// Real processes on one folder. What is atomic for one process must also be atomic between processes.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { alive, storeOn } from './_store.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let built = '';

beforeAll(() => {
  built = realpathSync(mkdtempSync(join(tmpdir(), 'renderline-test-')));
  writeFileSync(join(built, 'package.json'), '{"type":"module"}');
  symlinkSync(join(root, 'node_modules'), join(built, 'node_modules'));
  const flags = '--module nodenext --target es2023 --types node --rewriteRelativeImportExtensions';
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const entry = fileURLToPath(new URL('./_process.ts', import.meta.url));
  const args = [tsc, ...flags.split(' '), '--skipLibCheck', '--ignoreConfig', '--noCheck'];
  execFileSync(process.execPath, [...args, '--rootDir', '.', '--outDir', built, entry], {
    cwd: root,
  });
}, 60_000);

afterAll(() => rmSync(built, { recursive: true, force: true }));

function start(...args: string[]): { child: ChildProcess; lines: Interface } {
  const script = join(built, 'test', 'store', '_process.js');
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: createInterface({ input: child.stdout }) };
}

const nextLine = async (lines: Interface) => String((await once(lines, 'line'))[0]);

describe('several processes', () => {
  it.each([
    ['free assets', false],
    ["a dead run's assets", true],
  ])('several processes claim %s, each exactly once', async (_, fromDead) => {
    const folder = await tempFolder();
    const keys = Array.from({ length: 150 }, (_item, index) => `key-${index}`);
    if (fromDead) {
      const store = storeOn(new LocalConnector({ type: 'local', path: folder }), 'dead');
      for (const key of keys) await store.claims.claim({ key, version: '1-1', shard: 0 }, alive);
    }
    const processes = ['a', 'b', 'c'].map((run) => start('claim', folder, run, '150'));
    await Promise.all(processes.map(({ lines }) => nextLine(lines)));
    const answers = processes.map(({ lines }) => nextLine(lines));
    for (const { child } of processes) child.stdin?.write('go\n');
    const won = (await Promise.all(answers)).map((line) => JSON.parse(line) as string[]);
    expect(won.flat().sort()).toEqual([...keys].sort());
    const claims = await readdir(join(folder, '.renderline', 'shoes', 'claims'));
    expect(claims.sort()).toEqual(keys.map((key) => `${key}.json`).sort());
  });
});

describe('a process that is killed while it writes', () => {
  it('the old file or the new one is complete, and temporary files are deleted later', async () => {
    const folder = await tempFolder();
    for (let round = 0; round < 5; round += 1) {
      const { child, lines } = start('write', folder);
      expect(await nextLine(lines)).toBe('going');
      const left = once(child, 'exit');
      child.kill('SIGKILL');
      await left;
      const text = await readFile(join(folder, 'one.json'), 'utf8');
      expect([text.length, new Set(text).size]).toEqual([2_000_000, 1]);
    }
    const connector = new LocalConnector({ type: 'local', path: folder });
    await (await connector.stage('picture.jpg')).discard();
    expect(await readdir(folder)).toEqual(['one.json']);
  });
});
