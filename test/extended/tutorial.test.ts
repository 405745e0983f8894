// The tutorial, typed exactly as the page says: one shell, one `renderline dev`, an empty folder.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands/index.ts';
import { missing, type Step, stepsOf } from '../docs/_walked-page.ts';
import { program, type RunningProcess, start, tempFolder, useProcesses } from '../system/_stack.ts';

useProcesses();

const page = fileURLToPath(new URL('../../docs/tutorial.md', import.meta.url));
/** Marks the end of the output of one step. */
const endMark = '--- end of step';

let shell: ChildProcessWithoutNullStreams | undefined;
afterAll(() => shell?.kill());

test('each step of the tutorial does what the page says', async () => {
  const known = new Set(commands.map(({ term }) => term.split(' ')[0] ?? ''));
  const steps = stepsOf(await readFile(page, 'utf8'), known);
  expect(steps.filter(({ kind }) => kind === 'see').length).toBeGreaterThan(8);
  const home = await tempFolder('tutorial');
  const reader = await sitDown(home);
  const folder = join(home, 'shop');
  let dev: RunningProcess | undefined;
  let seen = '';
  for (const step of steps) {
    if (step.kind === 'see') expect(missing(step.text, seen), told(step, seen)).toBeNull();
    if (step.kind === 'write') {
      const write = step.append ? appendFile : writeFile;
      await write(join(folder, step.file), step.text);
    }
    if (step.kind === 'start') {
      dev = start(step.text.split(' ').slice(1), {}, folder);
      await dev.waitForOutput('Ctrl-C stops everything', 240_000);
    }
    if (step.kind === 'type') seen = await reader(step.text);
  }
  expect((await dev?.stop('SIGINT'))?.code).toBe(0);
}, 400_000);

function told({ line }: Step, seen: string): string {
  return `docs/tutorial.md:${line}, of the output:\n${seen}`;
}

/** Starts a shell with `renderline` on its PATH. The returned function types text and resolves to the output. */
async function sitDown(home: string): Promise<(text: string) => Promise<string>> {
  const bin = join(home, 'bin');
  await mkdir(bin);
  await writeFile(
    join(bin, 'renderline'),
    `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`,
  );
  await chmod(join(bin, 'renderline'), 0o755);
  const started = spawn('bash', ['--noprofile', '--norc'], {
    cwd: home,
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: process.env['HOME'] ?? '',
      NO_COLOR: '1',
    },
  });
  shell = started;
  let output = '';
  started.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  started.stdin.write('exec 2>&1\n');
  return async (text) => {
    output = '';
    // Commands must not read the next steps from the shell's input.
    started.stdin.write(`{\n${text}\n} < /dev/null\necho "${endMark}"\n`);
    while (!output.includes(endMark)) {
      if (started.exitCode !== null) throw new Error(`The shell ended.\n${output}`);
      await once(started.stdout, 'data');
    }
    return output.slice(0, output.indexOf(endMark));
  };
}
