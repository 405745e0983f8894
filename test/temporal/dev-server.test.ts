// Tests servers that fail to start, with shell scripts instead of the real server. Successful starts are tested with
// the real server in test/extended/temporal-server.test.ts.
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DevServerError, startDevServer } from '../../src/temporal/server/dev-server.ts';
import { fakeMachine, program } from './_fake-machine.ts';
import { isRunning } from './_processes.ts';

async function fakeServer(script: string) {
  const { folder } = await fakeMachine();
  const binary = join(folder, 'temporal');
  await program(binary, `echo "$@" >> "${folder}/starts"\n${script}`);
  const starts = async () => (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n');
  return { folder, binary, starts };
}

describe('a server that ends immediately', () => {
  test('a server that ends immediately causes an error with its last output', async () => {
    const { binary, starts } = await fakeServer('echo "unable to open database" >&2; exit 1');
    const error = await startDevServer({ binary }).catch((thrown: unknown) => thrown);
    if (!(error instanceof DevServerError)) throw error;
    expect(error.message).toBe(
      `${binary} exited immediately (exit code 1)\nunable to open database`,
    );
    expect(await starts()).toHaveLength(1);
  });

  test('a server whose port is in use is started again on other ports, at most five times', async () => {
    const { binary, starts } = await fakeServer(
      'echo "listen tcp: bind: address already in use" >&2; exit 1',
    );
    await expect(startDevServer({ binary })).rejects.toThrow('address already in use');
    const tried = (await starts()).map((line) => /--port (\d+) --ui-port (\d+)/.exec(line)?.[0]);
    expect(new Set(tried).size).toBe(5);
  });

  test('a server is not started on any ports other than the requested ones', async () => {
    const { binary, starts } = await fakeServer('echo "address already in use" >&2; exit 1');
    const ports = { grpc: 20_001, ui: 20_002 };
    await expect(startDevServer({ binary, ports })).rejects.toThrow('address already in use');
    expect(await starts()).toHaveLength(1);
  });
});

describe('a server that never becomes ready', () => {
  test('a server that never becomes ready is stopped, and the error contains its address, the time and its output', async () => {
    const { binary, folder } = await fakeServer(
      'echo $$ > "${0%/*}/pid"; echo "migrating schema"; exec sleep 600',
    );
    const starting = startDevServer({ binary, startTimeoutMs: 3_000 });
    await expect(starting).rejects.toThrow(
      /was not ready on 127\.0\.0\.1:\d+ within 3 s\nmigrating schema/,
    );
    expect(isRunning(Number(await readFile(join(folder, 'pid'), 'utf8')))).toBe(false);
  });

  test('a server that never becomes ready is stopped when the start is interrupted', async () => {
    const { binary, folder } = await fakeServer('echo $$ > "${0%/*}/pid"; exec sleep 600');
    const interrupt = new AbortController();
    const starting = startDevServer({ binary, signal: interrupt.signal });
    const pid = () => readFile(join(folder, 'pid'), 'utf8').catch(() => '');
    await expect.poll(pid).toMatch(/^\d+\n$/);
    interrupt.abort(new Error('Ctrl-C'));
    await expect(starting).rejects.toThrow();
    expect(isRunning(Number(await pid()))).toBe(false);
  });
});

describe('the command line of the server', () => {
  const attributes =
    '--search-attribute RenderlinePipeline=Keyword --search-attribute RenderlineOutcome=Keyword ' +
    '--search-attribute RenderlineLateness=Keyword ' +
    '--search-attribute RenderlineFailedKeys=KeywordList --search-attribute RenderlineFailedModels=KeywordList ' +
    '--search-attribute RenderlineColorways=KeywordList';

  test.each([
    [{}, `--ui-port U --namespace default --log-level warn ${attributes}`],
    [{ ui: false, searchAttributes: [] }, '--headless --namespace default --log-level warn'],
    [
      { namespace: 'team', searchAttributes: [{ name: 'A', type: 'Keyword' as const }] },
      '--ui-port U --namespace team --log-level warn --search-attribute A=Keyword',
    ],
    [
      { searchAttributes: [], dynamicConfig: { 'limit.x': 20, 'feature.y': true, name: 'z' } },
      '--ui-port U --namespace default --log-level warn --dynamic-config-value limit.x=20 ' +
        '--dynamic-config-value feature.y=true --dynamic-config-value name="z"',
    ],
  ])('the options %j become arguments of the server', async (options, expected) => {
    const { binary, starts } = await fakeServer('exit 1');
    await startDevServer({ binary, ...options }).catch(() => undefined);
    const [line = ''] = await starts();
    expect(line.replace(/--port \d+/, '--port P').replace(/--ui-port \d+/, '--ui-port U')).toBe(
      `server start-dev --ip 127.0.0.1 --port P ${expected}`,
    );
  });

  test('the server gets the absolute path of the database file, in a new folder', async () => {
    const { binary, folder, starts } = await fakeServer(
      'ls -d "${0%/*}/state/deep" || exit 9; exit 1',
    );
    const dbFilename = join(folder, 'state', 'deep', 't.db');
    const error = await startDevServer({ binary, dbFilename }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('exit code 1');
    expect((await starts())[0]).toContain(`--db-filename ${dbFilename}`);
  });

  test('the server gets no variables from our environment, which contains the API key', async () => {
    const { binary } = await fakeServer('env | grep -v -E "^(PWD|_|SHLVL|OLDPWD)="; exit 1');
    const error = await startDevServer({ binary }).catch((thrown: unknown) => thrown);
    if (!(error instanceof DevServerError)) throw error;
    const names = error.output.split('\n').map((line) => line.split('=')[0]);
    expect(new Set(names)).toEqual(new Set(['HOME', 'PATH', 'TMPDIR']));
    expect(error.output).toContain(`HOME=${homedir()}`);
  });
});
