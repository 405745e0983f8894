// Files and named pipes that a person specifies as input.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { openInputFile, prepareOutputFile, writeOutputFile } from '../../src/app/file-paths.ts';

const makePipe = (command: string, path: string) => void execFileSync(command, [path]);

async function createPipe(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'renderline-pipe-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  makePipe('mkfifo', join(folder, 'pipe'));
  return join(folder, 'pipe');
}

it('a named pipe that nobody writes to can be closed, so that Ctrl-C ends the process', async () => {
  const input = openInputFile(await createPipe());
  input.destroy();
  await once(input, 'close');
  expect(input.destroyed).toBe(true);
});

it('a named pipe is read until its writer ends, even if the writer starts later', async () => {
  const path = await createPipe();
  const reading = text(openInputFile(path));
  await writeFile(path, '{"name":"x"}');
  expect(await reading).toBe('{"name":"x"}');
});

it.each(['s3://bucket/report.html', 'https://me:hush@files.example/report.html'])(
  'no output is written to %s, which is not a path',
  async (url) => {
    const folder = dirname(await createPipe());
    const message = `${url.replace('me:hush', '[redacted]')} is a URL, but output is written to a file.`;
    await expect(prepareOutputFile(folder, url)).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual(['pipe']);
  },
);

it('a file is read, and a folder is refused by name', async () => {
  const file = join(dirname(await createPipe()), 'body.json');
  await writeFile(file, '{}');
  expect(await text(openInputFile(file))).toBe('{}');
  expect(() => openInputFile(dirname(file))).toThrow(/ is a folder\.$/);
});

async function* reportPieces(error?: Error): AsyncGenerator<string> {
  yield 'new ';
  if (error) throw error;
  yield 'report';
}

it('an output file that cannot be written to its end leaves the earlier one', async () => {
  const folder = dirname(await createPipe());
  const file = join(folder, 'report.html');
  await writeFile(file, 'earlier report');
  const lost = new Error('the records do not respond');
  await expect(writeOutputFile(file, reportPieces(lost))).rejects.toThrow(lost);
  expect(await readFile(file, 'utf8')).toBe('earlier report');
  expect(await readdir(folder)).toEqual(['pipe', 'report.html']);
  await symlink(file, join(folder, 'link.html'));
  await writeOutputFile(join(folder, 'link.html'), reportPieces());
  expect(await readFile(file, 'utf8')).toBe('new report');
});

it('a named pipe as output is written to, not replaced', async () => {
  const path = await createPipe();
  const reading = text(openInputFile(path));
  await writeOutputFile(path, reportPieces());
  expect(await reading).toBe('new report');
});
