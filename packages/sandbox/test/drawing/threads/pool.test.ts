// The drawing pool as the server uses it, with threads if this machine has a build.
import sharp from 'sharp';
import { afterEach, describe, expect, it } from 'vitest';
import { triangleGlb } from '../../../../../test/glb/_make-glb.ts';
import { encodePicture } from '../../../src/drawing/pictures/encode.ts';
import { drawPlaceholder } from '../../../src/drawing/pictures/placeholder.ts';
import type { DrawJob } from '../../../src/drawing/threads/draw-job.ts';
import { createDrawPool, type DrawPool } from '../../../src/drawing/threads/pool.ts';
import { lookNumber, plainLook } from '../_pictures.ts';

const pools: DrawPool[] = [];

function openPool(threads: number): DrawPool {
  const pool = createDrawPool(threads);
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function job(change: Partial<DrawJob> = {}): DrawJob {
  return {
    modelId: 'm1',
    fileType: 'glb',
    name: 'triangle',
    look: plainLook,
    width: 32,
    height: 18,
    format: 'PNG',
    read: () => Promise.resolve(triangleGlb()),
    ...change,
  };
}

describe.each([0, 1])('a pool of %d threads', (threads) => {
  it('the pool draws several pictures at once, each with its own width', async () => {
    const pool = openPool(threads);
    const widths = [16, 24, 32, 40];
    const drawings = await Promise.all(widths.map((width) => pool.draw(job({ width }))));
    const seen = await Promise.all(
      drawings.map(async (bytes) => (await sharp(bytes).metadata()).width),
    );
    expect(seen).toEqual(widths);
  });

  it('the pool draws waiting pictures before waiting videos', async () => {
    const pool = openPool(threads);
    const ended: string[] = [];
    const draw = (name: string, film?: DrawJob['film']) =>
      pool.draw(job({ film })).then(() => ended.push(name));
    const [shot] = lookNumber(4).shots;
    if (!shot) throw new Error('the look has shots');
    const film = { shots: [shot], framesPerSecond: 2, width: 32, height: 18 };
    const drawn = ['first film', 'second film'].map((name) => draw(name, film));
    await Promise.all([...drawn, draw('picture'), draw('another picture')]);
    expect(ended).toEqual(['first film', 'picture', 'another picture', 'second film']);
  });

  it('the pool draws the same picture as a pool without threads', async () => {
    const [here, there] = await Promise.all([
      openPool(threads).draw(job()),
      openPool(0).draw(job()),
    ]);
    expect(here.equals(there)).toBe(true);
  });

  it('the pool reports a failure with its code, and continues', async () => {
    const pool = openPool(threads);
    const broken = job({
      modelId: 'm2',
      read: () => Promise.resolve(triangleGlb().subarray(0, 50)),
    });
    await expect(pool.draw(broken)).rejects.toMatchObject({ name: 'DrawError', code: 'TRUNCATED' });
    expect(await pool.draw(job())).toEqual(await openPool(0).draw(job()));
  });

  it('the pool draws a placeholder for a model of another type', async () => {
    const bytes = await openPool(threads).draw(job({ fileType: 'fbx' }));
    const placeholder = await drawPlaceholder(job({ fileType: 'fbx' }));
    expect(bytes).toEqual(await encodePicture(placeholder, 'PNG'));
  });

  it('a closed pool rejects new and waiting jobs', async () => {
    const pool = openPool(threads);
    const waiting = [1, 2, 3].map(() =>
      pool.draw(job()).then(
        () => 'drawn',
        (error: unknown) => error,
      ),
    );
    await pool.close();
    const last = (await Promise.all(waiting)).at(-1);
    expect(last).toMatchObject({ code: 'POOL_CLOSED' });
    await expect(pool.draw(job())).rejects.toMatchObject({ code: 'POOL_CLOSED' });
  });
});
