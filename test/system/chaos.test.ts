// Many things going wrong at once, at moments that a seed decides: whatever happens, what must hold holds.
import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { fraction } from '../../src/sandbox/seeded.ts';
import { names, writeModels } from './_models.ts';
import { expectOnce, expectPictures, joined, makePlace, reportOf, startRun } from './_runs.ts';
import { during, startSandboxProcess, startWorkerProcess, useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
useProcesses();

/** RENDERLINE_TEST_SEEDS=7,8 tries others; a failure names its seed. */
const seeds = (process.env['RENDERLINE_TEST_SEEDS'] ?? '1').split(',').map(Number);

const flags = ['--speed', '20', '--picture-scale', '0', '--window-seconds', '1'];

const weather = [
  { match: '**', probability: 0.05, do: { reset: 'after' } },
  { match: '**', probability: 0.05, do: { reset: 'before' } },
  { match: '**', probability: 0.05, do: { status: 503 } },
  { match: '**', probability: 0.02, do: { rateLimited: true } },
  { match: '**', probability: 0.1, do: { delayMs: 300 } },
  { render: '**', probability: 0.5, do: { durationMs: 1_500 } },
];

describe.concurrent('workers that die in bad weather', () => {
  test.each(seeds)('seed %i: each file is uploaded, rendered and delivered once', async (seed) => {
    const sandbox = await startSandboxProcess([...flags, '--seed', String(seed)]);
    const env = joined(temporal.env, sandbox.env);
    const place = await makePlace(`chaos-${seed}`, { batchSize: 7 });
    const keys = names('chaos', 40);
    await writeModels(place.folder, keys);
    const workers = await Promise.all([1, 2, 3].map(() => startWorkerProcess(env)));
    const before = await sandbox.stats();
    const running = startRun(place, env);
    await running.says(/^Run \S+/m);
    await sandbox.set('faults', weather);
    for (const death of [1, 2]) {
      const at = Math.round(10 + 30 * fraction(seed, 'death', death));
      const { totalRequests } = await sandbox.stats();
      const due = async () => (await sandbox.stats()).totalRequests >= totalRequests + at;
      // A run that is faster than its misfortune is none the worse.
      await during(running, 'the moment of death', due).catch(() => undefined);
      await workers.shift()?.stop('SIGKILL');
    }
    await sandbox.set('faults', []);
    const report = reportOf(await running.finished);
    await expectPictures(report, keys);
    expectOnce(
      before,
      await sandbox.stats(),
      keys.map((key) => `${key}.glb`),
    );
    // Nothing half-written is left among the pictures.
    const left = (await readdir(place.out)).filter((name) => !/^chaos-\d+\.png$/.test(name));
    expect(left).toEqual(['.renderline']);
  });
});
