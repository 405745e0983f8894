// The shipped pipeline of texture libraries: a folder of sets becomes materials, once.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { plainImage } from '../sandbox/_library.ts';
import { triangleGlb } from '../sandbox/_start.ts';
import { reportOf, useProduct } from './_runs.ts';
import { run, tempFolder, useProcesses } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const file = fileURLToPath(new URL('../../pipelines/texture-library.yaml', import.meta.url));
const temporal = useDevServer();
useProcesses();
const product = useProduct(temporal, ['--speed', '60', '--picture-scale', '0']);

interface Items {
  materials: { name: string; status: string; createdAt: string }[];
  decals: unknown[];
  props: unknown[];
}

async function items(): Promise<Items> {
  const of = async (kind: keyof Items) =>
    ((await product.sandbox.api('GET', `/${kind}`)) as Items)[kind];
  return {
    materials: (await of('materials')) as Items['materials'],
    decals: await of('decals'),
    props: await of('props'),
  };
}

describe('texture-library.yaml', () => {
  test('shows what it would make, makes it, and sends only what is new', async () => {
    const folder = await tempFolder('library');
    const put = async (path: string, bytes: Uint8Array) => {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), bytes);
    };
    await put('textures/oak/oak_diffuse.png', await plainImage());
    await put('textures/oak/oak_normal.png', await plainImage('#8080ff'));
    await put('textures/felt_Color.jpg', await plainImage('#204060', 'jpeg'));
    await put('textures/felt_ORM.png', await plainImage());
    await put('decals/acme.png', await plainImage());
    await put('props/vase.glb', triangleGlb());
    const command = (verb: string, ...flags: string[]) =>
      run([verb, file, '--param', `folder=${folder}`, '--json', ...flags], product.env);

    const planned = await command('plan');
    expect(planned, planned.stderr).toMatchObject({ code: 0 });
    expect(JSON.parse(planned.stdout)).toMatchObject({
      assets: { total: 4, new: 4 },
      grouping: {
        props: 1,
        decals: 1,
        textures: { packed: ['textures/felt_ORM.png'], unmatched: [] },
      },
    });
    expect(await items()).toEqual({ materials: [], decals: [], props: [] });

    const first = reportOf(await command('run', '--wait'));
    expect(first.assets).toMatchObject({ total: 4, complete: 4 });
    const made = await items();
    expect(made.materials.map(({ name }) => name).sort()).toEqual(['felt', 'oak']);
    expect(made.materials.map(({ status }) => status)).toEqual(['ready', 'ready']);
    expect([made.decals.length, made.props.length]).toEqual([1, 1]);

    // Copied again, as it was: another time, the same content.
    await put('textures/oak/oak_normal.png', await plainImage('#8080ff'));
    const second = reportOf(await command('run', '--wait'));
    expect(second.assets).toMatchObject({ complete: 0, skipped: 4 });
    expect(await items()).toEqual(made);

    await put('textures/felt_Color.jpg', await plainImage('#ff0000', 'jpeg', 16, 16));
    await put('textures/pine_diffuse.png', Buffer.from('no picture'));
    const third = reportOf(await command('run', '--wait'), 3);
    expect(third.assets).toMatchObject({ complete: 1, failed: 1, skipped: 3 });
    expect(third.failures).toMatchObject([{ key: 'textures/pine', code: 'LIBRARY_ITEM_FAILED' }]);
    const names = (await items()).materials.map(({ name }) => name);
    expect(names.filter((name) => name === 'felt')).toHaveLength(2);
  });
});
