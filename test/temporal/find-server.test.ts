import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  chooseTemporal,
  type FindServerOptions,
  findTemporalServer,
  TemporalServerNotFoundError,
} from '../../src/temporal/server/find-server.ts';
import { deadPid, fakeMachine, goScript, program, temporalScript } from './_fake-machine.ts';
import { isRunning } from './_processes.ts';

type Download = NonNullable<FindServerOptions['download']>;

const noDownload: Download = () => Promise.reject(new Error('no internet'));
const download: Download = async ({ target }) => {
  await program(target, temporalScript);
  return target;
};
const release = 'release 1.5.1 of the Temporal CLI';
const goInstall = 'go install github.com/temporalio/cli/cmd/temporal@v1.5.1';

describe('the effect of TEMPORAL_ADDRESS', () => {
  test.each([
    [{ TEMPORAL_ADDRESS: 'temporal.example:7233' }, 'existing'],
    [{ TEMPORAL_ADDRESS: ' temporal.example:7233\n' }, 'existing'],
    [{ TEMPORAL_ADDRESS: '' }, 'embedded'],
    [{ TEMPORAL_ADDRESS: '  ' }, 'embedded'],
    [{}, 'embedded'],
  ])('the environment %j leads to the choice: %s', (env, kind) => {
    const choice = chooseTemporal(env);
    expect(choice.kind).toBe(kind);
    if (choice.kind === 'existing') expect(choice.address).toBe('temporal.example:7233');
  });
});

describe('the order of the sources', () => {
  type Place = 'path' | 'cache' | 'release' | 'go';
  const cases: [readonly Place[], string][] = [
    [['path', 'cache', 'release', 'go'], 'temporal on PATH'],
    [['cache', 'release', 'go'], 'own cache'],
    [['release', 'go'], release],
    [['go'], goInstall],
  ];

  test.each(cases)('with %j the server is found by: %s', async (places, origin) => {
    const machine = await fakeMachine();
    const cached = join(machine.cacheDir, 'dev-server', 'temporal');
    if (places.includes('path')) await machine.install('temporal', temporalScript);
    if (places.includes('cache')) await program(cached, temporalScript);
    if (places.includes('go')) await machine.install('go', goScript);
    const found = await findTemporalServer({
      ...machine,
      download: places.includes('release') ? download : noDownload,
    });
    expect(found.origin).toBe(origin);
    expect(found.path).toBe(
      origin === 'temporal on PATH' ? join(machine.env.PATH, 'temporal') : cached,
    );
    expect(machine.lines.at(-1)).toBe(`Temporal dev server: using ${found.path} (${origin})`);
  });

  test('a server that was built once is found in the cache the next time, even without Go', async () => {
    const machine = await fakeMachine();
    await machine.install('go', goScript);
    await findTemporalServer({ ...machine, download: noDownload });
    const again = await findTemporalServer({ ...machine, env: { PATH: '' }, download: noDownload });
    expect(again.origin).toBe('own cache');
  });

  test('RENDERLINE_CACHE_DIR sets the folder of the cache', async () => {
    const machine = await fakeMachine();
    await machine.install('go', goScript);
    const own = join(machine.folder, 'elsewhere');
    const env = { ...machine.env, RENDERLINE_CACHE_DIR: own };
    const found = await findTemporalServer({ env, download: noDownload });
    expect(found.path).toBe(join(own, 'dev-server', 'temporal'));
  });
});

describe('a program that does not work', () => {
  test.each([
    ['is another program', 'echo "time 1.9"'],
    ['fails', 'echo "cannot execute" >&2; exit 126'],
    ['is killed', 'kill -9 $$'],
  ])('a `temporal` on PATH that %s is skipped', async (_what, script) => {
    const machine = await fakeMachine();
    await machine.install('temporal', script);
    await machine.install('go', goScript);
    const found = await findTemporalServer({ ...machine, download: noDownload });
    expect(found.origin).toBe(goInstall);
  });

  test('a broken file in the cache is replaced', async () => {
    const machine = await fakeMachine();
    await program(join(machine.cacheDir, 'dev-server', 'temporal'), 'exit 1');
    await machine.install('go', goScript);
    const found = await findTemporalServer({ ...machine, download: noDownload });
    expect(await readFile(found.path, 'utf8')).toContain('temporal version');
  });

  test('a download that is not a server is refused', async () => {
    const machine = await fakeMachine();
    const wrong: Download = async ({ target }) => {
      await program(target, 'echo "<html>"');
      return target;
    };
    const error = await failure(findTemporalServer({ ...machine, download: wrong }));
    expect(error.steps[2]?.reason).toMatch(/--version printed "<html>/);
  });
});

describe('when all sources fail', () => {
  test('one error lists each step with the reason for its failure and the fix', async () => {
    const machine = await fakeMachine();
    await machine.install('go', 'echo "dial tcp: lookup proxy.example: no such host" >&2; exit 1');
    const error = await failure(findTemporalServer({ ...machine, download: noDownload }));
    const cached = join(machine.cacheDir, 'dev-server', 'temporal');
    expect(error.message.replaceAll(machine.folder, '')).toBe(
      [
        'Temporal dev server not found. Tried, in this order:',
        '  1. temporal on PATH: not found',
        '     Fix: install the Temporal CLI and add it to PATH, or set TEMPORAL_ADDRESS',
        `  2. own cache: no executable ${cached}`,
        `     Fix: place a working temporal executable at ${cached}`,
        `  3. ${release}: no internet`,
        '     Fix: allow this machine to reach the internet once; the download is cached',
        `  4. ${goInstall}: "${join(machine.env.PATH, 'go')} install github.com/temporalio/cli/cmd/temporal@v1.5.1" ended with exit code 1`,
        '     dial tcp: lookup proxy.example: no such host',
        '     Fix: install Go 1.23 or newer and allow it to reach its module proxy once',
      ]
        .join('\n')
        .replaceAll(machine.folder, ''),
    );
    expect(error.steps.map((step) => step.name)).toEqual([
      'temporal on PATH',
      'own cache',
      release,
      goInstall,
    ]);
  });

  test('no partial file remains in the cache', async () => {
    const machine = await fakeMachine();
    await machine.install('go', 'echo half > "$GOBIN/temporal"; exit 1');
    await failure(findTemporalServer({ ...machine, download: noDownload }));
    expect(await machine.cached('dev-server')).toEqual([]);
    expect(await machine.cached('.')).toEqual(['dev-server']);
  });
});

describe('a long build', () => {
  const waitingGo = `${goScript}
while [ ! -e "$GOBIN/../go-on" ] && [ -d "$GOBIN" ]; do /bin/sleep 0.02; done`;

  test('a long build reports how long it has taken', async () => {
    const machine = await fakeMachine();
    await machine.install('go', waitingGo);
    const finding = findTemporalServer({ ...machine, download: noDownload, reportMs: 20 });
    await expect.poll(() => machine.lines.join('\n')).toMatch(/: building, \d+ s so far/);
    await writeFile(join(machine.cacheDir, 'dev-server', 'go-on'), '');
    await finding;
  });

  test('a long build runs once for two callers, of which the second reports its wait and uses the result of the first', async () => {
    const machine = await fakeMachine();
    await machine.install('go', waitingGo);
    const first = findTemporalServer({ ...machine, download: noDownload });
    const waited: string[] = [];
    const builds = join(machine.cacheDir, 'dev-server', 'builds');
    await expect
      .poll(() =>
        stat(builds).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const second = findTemporalServer({
      ...machine,
      download: noDownload,
      onProgress: (line) => waited.push(line),
    });
    await expect
      .poll(() => waited[0])
      .toBe(
        `Temporal dev server: waiting for process ${process.pid}, which is downloading or building it (0 s so far)`,
      );
    await writeFile(join(machine.cacheDir, 'dev-server', 'go-on'), '');
    expect((await first).origin).toBe(goInstall);
    expect((await second).origin).toBe('own cache');
    expect((await readFile(builds, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  test('a long build ends with its child processes when it is interrupted', async () => {
    const machine = await fakeMachine();
    await machine.install('go', '/bin/sleep 600 & echo $! > "$GOBIN/../pid"; wait');
    const interrupt = new AbortController();
    const finding = findTemporalServer({
      ...machine,
      download: noDownload,
      signal: interrupt.signal,
    });
    const pidFile = join(machine.cacheDir, 'dev-server', 'pid');
    await expect.poll(() => readFile(pidFile, 'utf8').catch(() => '')).toMatch(/^\d+\n$/);
    const pid = Number(await readFile(pidFile, 'utf8'));
    interrupt.abort(new Error('Ctrl-C'));
    await expect(finding).rejects.toThrow('Ctrl-C');
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(await machine.cached('.')).not.toContain('dev-server.lock');
  });

  test('a build does not wait for a process that has died', async () => {
    const machine = await fakeMachine();
    await machine.install('go', goScript);
    const lock = join(machine.cacheDir, 'dev-server.lock');
    await mkdir(dirname(lock), { recursive: true });
    const holder = { pid: await deadPid(), host: hostname(), token: 'theirs' };
    await writeFile(lock, JSON.stringify(holder));
    const found = await findTemporalServer({ ...machine, download: noDownload });
    expect(found.origin).toBe(goInstall);
    expect(machine.lines.join('\n')).not.toContain('waiting');
  });
});

async function failure(work: Promise<unknown>): Promise<TemporalServerNotFoundError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof TemporalServerNotFoundError) return error;
  throw new Error(`expected a TemporalServerNotFoundError, got ${String(error)}`);
}
