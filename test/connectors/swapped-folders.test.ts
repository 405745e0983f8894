// Replaces a local folder with a link to an outside folder before each call of the file system, and may restore it
// later.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { doings, type Moment, momentsOf, play, Scene } from './_swaps.ts';
import { tempFolder } from './_temp-folder.ts';

const modules = ['node:fs', 'node:fs/promises'];
const hook = { before: (): void => undefined };
let connect: (path: string) => Connector;

beforeAll(async () => {
  for (const name of modules) vi.doMock(name, async (original) => hooked(await original()));
  // Test files share their modules, which use the real file system.
  vi.resetModules();
  const { LocalConnector } = await import('../../src/connectors/local.ts');
  connect = (path) => new LocalConnector({ type: 'local', path });
});
afterAll(() => {
  for (const name of modules) vi.doUnmock(name);
  vi.resetModules();
});

function hooked(real: Record<string, unknown>): object {
  const calls = Object.entries(real).map(([name, value]) => {
    if (typeof value !== 'function') return [name, value];
    const call = value as (...values: unknown[]) => unknown;
    const before = (...values: unknown[]) => {
      hook.before();
      return call(...values);
    };
    return [name, before];
  });
  return Object.fromEntries(calls) as object;
}

/** Concurrent operations share the handle of a folder. */
const twoAtOnce: (typeof doings)[number] = [
  'write two at once',
  (connector) =>
    Promise.all(
      ['new', 'newer'].map((name) => connector.write(`sub/${name}.txt`, Buffer.from('new'))),
    ),
];
const all = [...doings, twoAtOnce];

it.each([
  ...all.map(([name, work]) => [name, 'at first', work] as const),
  ...all.map(([name, work]) => [name, 'in a folder that was just used', work] as const),
])('no outside file is read or written by the operation "%s" %s', async (_name, when, work) => {
  const place = await tempFolder();
  let scenes = 0;
  const played = async (moment: Moment) => {
    scenes += 1;
    const scene = new Scene(join(place, String(scenes)));
    const connector = connect(scene.root);
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
