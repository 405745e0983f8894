// Tests that only the released dev server is installed.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { downloadRelease } from '../../src/temporal/server/release-download.ts';
import { fakeMachine, program, temporalScript } from './_fake-machine.ts';

const platform = `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;

/** Downloads from a server with this response; the archive must have this hash. */
async function downloaded(answer: RequestListener, sha256: string, stallMs = 5_000) {
  const machine = await fakeMachine();
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const target = join(machine.cacheDir, 'dev-server', 'temporal');
  const { onProgress } = machine;
  const download = downloadRelease({
    target,
    env: { PATH: process.env['PATH'] },
    onProgress,
    from: `http://127.0.0.1:${port}`,
    sha256Of: { [platform]: sha256 },
    stallMs,
  });
  const error = await download.then(
    () => null,
    (thrown: Error) => thrown.message,
  );
  return { error, target, left: await machine.cached('dev-server') };
}

async function archive(): Promise<Buffer> {
  const { folder } = await fakeMachine();
  await program(join(folder, 'temporal'), temporalScript);
  await promisify(execFile)('tar', ['-czf', 'a.tar.gz', 'temporal'], { cwd: folder });
  return readFile(join(folder, 'a.tar.gz'));
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

it('a download installs the released server, and leaves only the executable', async () => {
  const bytes = await archive();
  let asked = '';
  const { error, target, left } = await downloaded((request, response) => {
    asked = request.url ?? '';
    response.end(bytes);
  }, sha256Of(bytes));
  expect([error, left]).toEqual([null, ['temporal']]);
  expect(asked).toBe(`/v1.5.1/temporal_cli_1.5.1_${platform}.tar.gz`);
  expect(await readFile(target, 'utf8')).toContain(temporalScript);
});

it('a download of another archive is refused, reports its hash, and leaves no file', async () => {
  const bytes = await archive();
  const { error, left } = await downloaded((_, response) => response.end(bytes), 'f'.repeat(64));
  expect(error).toContain(`differs from the release: its SHA-256 is ${sha256Of(bytes)}`);
  expect(left).toEqual([]);
});

it.each<[string, RequestListener, RegExp]>([
  ['an error', (_, response) => response.writeHead(503).end(), /temporal_cli.* returned 503$/],
  ['a truncated response', (_, response) => response.destroy(), /temporal_cli/],
  ['silence', () => undefined, /no data received for 0\.3 s$/],
  ['silence in the middle', (_, response) => response.write('x'), /no data received for 0\.3 s$/],
])('a download fails after %s, and leaves no file', async (what, answer, why) => {
  const patienceMs = what.startsWith('silence') ? 300 : 5_000;
  const { error, left } = await downloaded(answer, 'f'.repeat(64), patienceMs);
  expect([error, left]).toEqual([expect.stringMatching(why), []]);
});

it('a download fails on a platform without a known archive', async () => {
  const machine = await fakeMachine();
  const { env, onProgress } = machine;
  const target = join(machine.cacheDir, 'dev-server', 'temporal');
  const download = downloadRelease({ target, env, onProgress, sha256Of: {} });
  await expect(download).rejects.toThrow(`no release exists for ${platform}`);
});
