// The shipped pipeline of texture libraries: a folder of sets becomes materials, once.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { plainImage } from '../../packages/sandbox/test/_library.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { runInProcess, startInProcess } from '../system/_in-process.ts';
import { inLane, inLaneWith, type Lane } from '../system/_lane.ts';
import { reportOf } from '../system/_runs.ts';
import {
  startWorkerProcess,
  tempFolder,
  useProcesses,
  waitWhileRunning,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const file = fileURLToPath(new URL('../../pipelines/texture-library.yaml', import.meta.url));
const temporal = useTemporal();
useProcesses();
const flags = ['--speed', '60', '--picture-scale', '0'];

interface Items {
  materials: { name: string; status: string; createdAt: string }[];
  decals: { name: string; status: string }[];
  props: { name: string; status: string }[];
}

async function itemsOf({ sandbox }: Lane): Promise<Items> {
  const of = async <Kind extends keyof Items>(kind: Kind) =>
    ((await sandbox.api('GET', `/${kind}`)) as Pick<Items, Kind>)[kind];
  return { materials: await of('materials'), decals: await of('decals'), props: await of('props') };
}

async function makeFolder() {
  const folder = await tempFolder('library');
  const put = async (path: string, bytes: Uint8Array) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), bytes);
  };
  const words = (verb: string, ...more: string[]) => [
    verb,
    file,
    '--param',
    `folder=${folder}`,
    '--json',
    ...more,
  ];
  return { put, words };
}

inLane(
  'texture-library.yaml',
  temporal,
  (lane) => {
    test('texture-library.yaml shows what it will create, creates it, and later sends only what is new', async () => {
      const { put, words } = await makeFolder();
      const command = (verb: string, ...more: string[]) =>
        runInProcess(words(verb, ...more), lane.env);
      const items = () => itemsOf(lane);
      await put('textures/oak/oak_diffuse.png', await plainImage());
      await put('textures/oak/oak_normal.png', await plainImage('#8080ff'));
      await put('textures/felt_Color.jpg', await plainImage('#204060', 'jpeg'));
      await put('textures/felt_ORM.png', await plainImage());
      await put('decals/acme.png', await plainImage());
      await put('props/vase.glb', triangleGlb());

      const planned = await command('plan');
      expect(planned, planned.stderr).toMatchObject({ code: 0 });
      expect(JSON.parse(planned.stdout)).toMatchObject({
        assets: { total: 4, new: 4 },
        grouping: {
          props: 1,
          decals: 1,
          textures: { packed: ['textures/felt_ORM.png'], unmatched: [] },
        },
        requests: { byOperation: { createProps: 1, createDecals: 1, createMaterial: 2 } },
      });
      expect(await items()).toEqual({ materials: [], decals: [], props: [] });

      const first = reportOf(await command('run', '--wait'));
      expect(first.assets).toMatchObject({ total: 4, complete: 4 });
      expect(first.warnings).toMatchObject([
        { key: 'library', message: expect.stringContaining('textures/felt_ORM.png') },
      ]);
      const made = await items();
      expect(made.materials.map(({ name }) => name).sort()).toEqual(['felt', 'oak']);
      expect(made.materials.map(({ status }) => status)).toEqual(['ready', 'ready']);
      expect([made.decals.length, made.props.length]).toEqual([1, 1]);

      // Copied again without a change: another time, the same content.
      await put('textures/oak/oak_normal.png', await plainImage('#8080ff'));
      const second = reportOf(await command('run', '--wait'));
      expect(second.assets).toMatchObject({ complete: 0, skipped: 4 });
      expect(await items()).toEqual(made);

      await put('textures/felt_Color.jpg', await plainImage('#ff0000', 'jpeg', 16, 16));
      await put('textures/pine_diffuse.png', (await plainImage()).subarray(0, 40));
      await put('textures/ash_diffuse.png', Buffer.from('no picture'));
      const third = reportOf(await command('run', '--wait'), 3);
      expect(third.assets).toMatchObject({ complete: 1, failed: 2, skipped: 3 });
      expect(third.failures.map(({ key, code }) => `${key}: ${code}`).sort()).toEqual([
        'textures/ash: NOT_A_PICTURE',
        'textures/pine: LIBRARY_ITEM_FAILED',
      ]);
      const names = (await items()).materials.map(({ name }) => name).sort();
      expect(names).toEqual(['felt', 'felt', 'oak', 'pine']);
    });
  },
  flags,
);

inLaneWith(
  startWorkerProcess,
  'a worker that is killed in the middle of an import',
  temporal,
  (lane) => {
    test('a worker that is killed in the middle of an import creates nothing twice', async () => {
      const { put, words } = await makeFolder();
      const sets = ['ash', 'elm', 'oak'];
      for (const name of sets) await put(`textures/${name}_diffuse.png`, await plainImage());
      await put('decals/acme.png', await plainImage());
      await put('props/vase.glb', triangleGlb());
      // One material is created, but the response never arrives.
      const hold = [{ match: 'createMaterial', nth: 2, do: { delayMs: 4_000 } }];
      const report = await lane.withFaults(hold, async () => {
        const running = startInProcess(words('run', '--wait'), lane.env);
        await waitWhileRunning(running, 'all records are made', async () => {
          return (await itemsOf(lane)).materials.length === sets.length;
        });
        await lane.worker.stop('SIGKILL');
        await startWorkerProcess(lane.env);
        return reportOf(await running.finished);
      });
      expect(report.assets).toMatchObject({ total: 5, complete: 5 });
      const { materials, decals, props } = await itemsOf(lane);
      expect(materials.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
        'ash ready',
        'elm ready',
        'oak ready',
      ]);
      expect(decals.map(({ status }) => status)).toEqual(['READY']);
      expect(props.map(({ status }) => status)).toEqual(['READY']);
      // The call was repeated with its key, and created nothing.
      expect((await lane.sandbox.stats()).replayed).toBeGreaterThan(0);
    });
  },
  flags,
);
