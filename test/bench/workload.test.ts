// The workload of the benchmark: known durations, fault rules, and the ideal as a lower bound.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boxModel } from '../../bench/box-model.ts';
import { fewestRequests, idealMs } from '../../bench/ideal.ts';
import { timeRules, type Workload, writeSingle, writeWorkload } from '../../bench/workload.ts';
import { FaultRules, Faults } from '../../packages/sandbox/src/faults/faults.ts';
import { inspectModelFile } from '../../src/glb/inspect-model.ts';

let folder: string;
let workload: Workload;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-workload-'));
  workload = writeWorkload(folder, 40, 7);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The durations of a name in milliseconds. */
function timesOf(name: string): { model: number; render: number } {
  const [, model, render] = /-m(\d+)-r(\d+)$/.exec(name) ?? [];
  return { model: Number(model), render: Number(render) };
}

describe('the workload', () => {
  it('the workload contains one valid model for each name', async () => {
    expect((await readdir(folder)).toSorted()).toEqual(workload.names.map((name) => `${name}.glb`));
    expect(new Set(workload.names).size).toBe(40);
    expect(await inspectModelFile(join(folder, `${workload.names[0] ?? ''}.glb`))).toMatchObject({
      verdict: 'accept',
    });
    expect(boxModel().length).toBeLessThan(1_500);
  });

  it('the workload is the same for the same seed, and different for another seed', async () => {
    const again = join(folder, 'again');
    expect(writeWorkload(again, 40, 7).names).toEqual(workload.names);
    expect(writeWorkload(again, 40, 8).names).not.toEqual(workload.names);
    await rm(again, { recursive: true });
  });

  it('the workload takes 2 to 6 s for models and 3 to 9 s for renders, which are the defaults of the sandbox', () => {
    for (const name of workload.names) {
      const { model, render } = timesOf(name);
      expect(model).toBeGreaterThanOrEqual(2_000);
      expect(model).toBeLessThanOrEqual(6_000);
      expect(render).toBeGreaterThanOrEqual(3_000);
      expect(render).toBeLessThanOrEqual(9_000);
    }
  });

  it('the workload contains fault rules that produce exactly these times', () => {
    const faults = new Faults(1, FaultRules.parse(timeRules()));
    for (const name of workload.names) {
      const { model, render } = timesOf(name);
      expect(faults.faultFor('model', name)).toEqual({ durationMs: model });
      expect(faults.faultFor('render', name)).toEqual({ durationMs: render });
    }
  });

  it('the workload of one asset has the shortest times', () => {
    const single = writeSingle(join(folder, 'single'), 'alone');
    expect(single).toMatchObject({ names: ['alone-m2000-r3000'], slowestMs: 5_000 });
  });

  it('the workload reports the duration of its slowest asset', () => {
    const sums = workload.names.map((name) => timesOf(name).model + timesOf(name).render);
    expect(workload.slowestMs).toBe(Math.max(...sums));
  });
});

describe('the ideal time', () => {
  it.each([
    [1, 6],
    [50, 6],
    [200, 22],
    [1_000, 110],
    [10_000, 1_100],
  ])('a run of %d assets needs at least %d requests', (assets, requests) => {
    expect(fewestRequests(assets)).toBe(requests);
  });

  it.each([
    ['no limit', 10_000, 0, 15_000],
    ['a limit that is not reached', 1_000, 600, 15_000],
    ['more requests than a minute allows', 10_000, 600, 110_000],
    ['a tight limit', 1_000, 20, 330_000],
  ])('idealMs() returns the ideal time with %s', (_name, assets, limit, expected) => {
    expect(idealMs(15_000, { assets, limit, windowSeconds: 60 })).toBe(expected);
  });

  it('the ideal time depends on the length of the window', () => {
    expect(idealMs(15_000, { assets: 1_000, limit: 20, windowSeconds: 10 })).toBe(55_000);
  });
});
