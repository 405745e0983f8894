import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { downloadWithSdk, type ServerKind } from '../../src/temporal/sdk-download.ts';
import { type FakeMachine, fakeMachine } from './_fake-machine.ts';

describe('the download', () => {
  test.each<[ServerKind, string]>([
    ['dev', 'createLocal'],
    ['time-skipping', 'createTimeSkipping'],
  ])('of the %s server uses %s, and leaves exactly the target', async (kind, method) => {
    const machine = await fakeMachine();
    const path = await attempt(machine, {
      kind,
      sdk: `async ${method}({ server }) {
        const { type, downloadDir } = server.executable;
        require('node:fs').writeFileSync(downloadDir + '/temporal-sdk-x', type);
        return { teardown: async () => {} };
      }`,
    });
    expect(await readFile(path, 'utf8')).toBe('cached-download');
    expect(await machine.cached('dev-server')).toEqual(['temporal']);
  });

  test('gives the last line of what the SDK says as the reason, and leaves nothing', async () => {
    const machine = await fakeMachine();
    const failing = attempt(machine, {
      sdk: `async createLocal() { throw new Error('first\\nclient error: dns error') }`,
    });
    await expect(failing).rejects.toThrow(/^client error: dns error$/);
    expect(await machine.cached('dev-server')).toEqual([]);
  });

  test('is given up when no byte arrives', async () => {
    const machine = await fakeMachine();
    const hanging = attempt(machine, {
      sdk: 'createLocal() { setInterval(() => {}, 1000); return new Promise(() => {}) }',
      stallMs: 300,
    });
    await expect(hanging).rejects.toThrow('no byte arrived');
    expect(await machine.cached('dev-server')).toEqual([]);
  });

  test('may take longer than that while bytes arrive', async () => {
    const machine = await fakeMachine();
    const path = await attempt(machine, {
      sdk: `async createLocal({ server }) {
        const file = server.executable.downloadDir + '/temporal-sdk-x.downloading';
        for (let part = 0; part < 12; part += 1) {
          require('node:fs').appendFileSync(file, 'x'.repeat(1048576));
          await new Promise((resolve) => setTimeout(resolve, 300));
        }
        return { teardown: async () => {} };
      }`,
      stallMs: 3000,
    });
    expect((await readFile(path)).length).toBe(12 * 1_048_576);
    expect(machine.lines.at(-1)).toMatch(/^downloading, \d+ MB so far$/);
  });
});

interface Attempt {
  /** The one method of the SDK's environment class. */
  sdk: string;
  kind?: ServerKind;
  stallMs?: number;
}

async function attempt(machine: FakeMachine, { sdk, kind = 'dev', stallMs }: Attempt) {
  const sdkModule = join(machine.folder, 'testing.cjs');
  await writeFile(sdkModule, `exports.TestWorkflowEnvironment = { ${sdk} };`);
  return downloadWithSdk({
    kind,
    target: join(machine.cacheDir, 'dev-server', 'temporal'),
    env: machine.env,
    onProgress: machine.onProgress,
    sdkModule,
    ...(stallMs ? { stallMs } : {}),
  });
}
