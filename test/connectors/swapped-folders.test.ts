// A folder of this machine is swapped for a link that leads out before each call of the file system, and put back later or not.
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import { doings, type Moment, momentsOf, play, Scene } from './_swaps.ts';
import { tempFolder } from './_temp-folder.ts';

const hook = vi.hoisted(() => ({ before: (): void => undefined }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<Record<string, unknown>>();
  const hooked = Object.entries(real).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const call = value as (...values: unknown[]) => unknown;
    const before = (...values: unknown[]) => {
      hook.before();
      return call(...values);
    };
    return [name, before];
  });
  return Object.fromEntries(hooked) as object;
});

it.each([
  ...doings.map(([name, work]) => [name, 'at first', work] as const),
  ...doings.map(([name, work]) => [name, 'in a folder that was just used', work] as const),
])('%s %s: nothing outside is read or written', async (_name, when, work) => {
  const place = await tempFolder();
  let scenes = 0;
  const played = async (moment: Moment) => {
    scenes += 1;
    const scene = new Scene(join(place, String(scenes)));
    const connector = new LocalConnector({ type: 'local', path: scene.root });
    if (when !== 'at first') await connector.read('sub/a.txt');
    return play(scene, hook, () => work(connector), moment);
  };
  const { calls, trace } = await played({ swapAt: 0, backAt: 0 });
  expect([trace, calls > 1]).toEqual([null, true]);
  const traces: string[] = [];
  for (const moment of momentsOf(calls)) {
    const { trace: left } = await played(moment);
    if (left !== null) traces.push(`${moment.swapAt}-${moment.backAt}: ${left}`);
  }
  expect(traces).toEqual([]);
});
