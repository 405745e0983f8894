// Files of a moved source are moved from the path of the old key once the new record is written.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { removeRenamed } from '../../src/features/delivery/remove-renamed.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { DeliveredFile, Stages } from '../../src/plan/types.ts';
import type { RunAsset } from '../../src/store/runs/run-assets.ts';
import { asset } from '../plan/_steps.ts';
import { sourceOf, withManifest } from '../store/_store.ts';
import { runContext } from './_context.ts';
import { paths, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const context = runContext({ connectors: { out: { type: 'local' } } });
const mark = 'of-export';
const stages: Stages = {
  source: 's',
  composition: 'c',
  render: 'r',
  sheet: 'x',
  deliveries: {
    step: { fingerprint: mark, connector: 'out' },
    ar: { fingerprint: 'of-ar', connector: 'out' },
  },
};

async function place(path: string, bytes: Buffer, key: string): Promise<DeliveredFile> {
  const full = join(delivery.folder, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const size = { bytes: bytes.length, width: 32, height: 18 };
  return { key, path, sha256, ...size, output: 'r1', delivery: mark };
}

/** The mug was delivered under `kitchen`, and its source is under `mugs` now. */
async function mug({
  path = 'kitchen/mug.png',
  beside = [],
  ...more
}: { path?: string; beside?: readonly Partial<DeliveredFile>[] } & Partial<RunAsset> = {}) {
  const store = openRunStore(delivery.records, context);
  await store.recipes.write(context.recipe, stages);
  const files = [await place(path, delivery.picture, 'kitchen/mug')];
  for (const one of beside) {
    const { path: at = '' } = one;
    files.push({ ...(await place(at, Buffer.from(at), 'kitchen/mug')), ...one });
  }
  const idsOf = (output: string) => ({
    jobId: 'job',
    outputs: [{ id: output, name: 'Front', fileType: 'PNG' }] as never[],
  });
  const written = { recipe: context.recipe, run: 'before', lineage: 'before' };
  const finishedAt = '2026-01-01T00:00:00Z';
  const source = sourceOf('kitchen/mug');
  const record = await store.records.write({
    ...written,
    key: 'kitchen/mug',
    source,
    platformIds: idsOf('r1'),
    files,
    finishedAt,
  });
  const moved = { key: 'kitchen/mug', record, isKeyUnused: true };
  const key = 'mugs/mug';
  await withManifest(store, [{ key, source: sourceOf(key), reason: 'recipe', moved, ...more }]);
  const kept = ['source', 'composition', 'render'] as const;
  const run = async (
    naming: string,
    { output = 'r1', ...options }: Parameters<typeof delivery.run>[2] & { output?: string } = {},
  ) => {
    const reusableStages = output === 'r1' ? kept : kept.slice(0, 2);
    return delivery.run(naming, [asset(key, { ...idsOf(output), reusableStages })], {
      run: context,
      store,
      step: { id: 'step', node: 'step', batch: 50, redo: null, delivery: mark } as never,
      ...options,
    });
  };
  const removeOldFiles = (files: DeliveredFile[], isGone = true) =>
    removeRenamed(
      { key, source: sourceOf(key), files, moved: { ...moved, isKeyUnused: isGone } },
      {
        store,
        getConnector: () => delivery.connector,
        signal: new AbortController().signal,
        assertLease: async () => undefined,
      },
    );
  return { store, written, run, removeOldFiles };
}

/** The platform has a job with this output. */
function renderJob(output: string): void {
  const { url: filePath, ...render } = delivery.output(output, 'Front');
  const job = { jobId: 'job', status: 'COMPLETED', projectId: 'p' };
  delivery.platform.jobs.set('job', { ...job, renders: [{ ...render, filePath }] });
}

const filesOf = (results: Awaited<ReturnType<typeof delivery.run>>) =>
  results.flatMap((result) => ('files' in result ? (result.files ?? []) : []));

describe('a file of a moved source', () => {
  it('the file is moved at the destination, without a request to the platform', async () => {
    const { run, removeOldFiles } = await mug();
    const results = await run('{{ key }}.{{ ext }}');
    expect(filesOf(results)).toMatchObject([
      { key: 'mugs/mug', path: 'mugs/mug.png', previousPath: 'kitchen/mug.png' },
    ]);
    expect(await removeOldFiles(filesOf(results))).toEqual([]);
    expect(await delivery.files()).toEqual(['mugs/mug.png']);
  });

  it('the file is moved even if its old path is reserved for the old key, and the path is free then', async () => {
    const { store, run, removeOldFiles } = await mug();
    const there = delivery.connector.describe();
    await store.pathOwners.claim([
      { destination: there, path: 'kitchen/mug.png', key: 'kitchen/mug' },
    ]);
    await removeOldFiles(filesOf(await run('{{ key }}.{{ ext }}')));
    expect(await delivery.files()).toEqual(['mugs/mug.png']);
    const wish = { destination: there, path: 'kitchen/mug.png', key: 'kitchen/cup' };
    expect(await store.pathOwners.claim([wish])).toEqual(['kitchen/cup']);
  });

  it('the file stays if another source now has the old key', async () => {
    const { run, removeOldFiles } = await mug();
    await removeOldFiles(filesOf(await run('{{ key }}.{{ ext }}')), false);
    expect(await delivery.files()).toEqual(['kitchen/mug.png', 'mugs/mug.png']);
  });

  it('the file keeps its name if the name does not depend on the key', async () => {
    const { store, run, removeOldFiles } = await mug({ path: 'Front.png' });
    const there = delivery.connector.describe();
    await store.pathOwners.claim([{ destination: there, path: 'Front.png', key: 'kitchen/mug' }]);
    const results = await run('{{ output }}.{{ ext }}');
    expect(paths(results)).toEqual(['Front.png']);
    expect(filesOf(results)).toMatchObject([{ key: 'mugs/mug' }]);
    await removeOldFiles(filesOf(results));
    expect(await delivery.files()).toEqual(['Front.png']);
    expect(await store.pathOwners.ownerOf({ destination: there, path: 'Front.png' })).toBe(
      'mugs/mug',
    );
  });

  describe('a file of a moved source that is rendered again', () => {
    const naming = '{{ key }}.{{ ext }}';
    const images = [{ format: 'WEBP', naming: '{{ key }}.web.{{ ext }}' } as const];
    const image = { path: 'kitchen/mug.web.webp', image: 'of-options' };
    const made = ['mugs/mug.png', 'mugs/mug.web.webp'];
    it.each<[string, Partial<DeliveredFile>[], string[]]>([
      ['is removed together with its images', [image], []],
      [
        'is removed together with other pictures of the asset',
        [image, { path: 'kitchen/mug-2.png', output: 'r9' }],
        [],
      ],
      [
        'is removed, but files of another export stay',
        [{ path: 'kitchen/ar.glb', output: 'm.glb', delivery: 'of-ar' }],
        ['kitchen/ar.glb'],
      ],
    ])('the old file %s', async (_name, beside, stays) => {
      renderJob('r2');
      const { run, removeOldFiles } = await mug({ beside });
      const results = await run(naming, { output: 'r2', images });
      expect(await removeOldFiles(filesOf(results))).toEqual([]);
      expect(await delivery.files()).toEqual([...stays, ...made]);
    });

    it('the old file stays if the export keeps old files', async () => {
      renderJob('r2');
      const { run, removeOldFiles } = await mug({ beside: [image] });
      const results = await run(naming, { output: 'r2', images, supersede: 'keep' });
      await removeOldFiles(filesOf(results));
      expect(await delivery.files()).toEqual(['kitchen/mug.png', 'kitchen/mug.web.webp', ...made]);
    });
  });

  it('the new picture is compared with the one it replaces if the pipeline requires it', async () => {
    renderJob('r1');
    const other = await sharp(delivery.picture).negate().png().toBuffer();
    const { store, written, run } = await mug();
    const before = await place('mugs/mug.png', other, 'mugs/mug');
    const source = sourceOf('mugs/mug', '2-2');
    const made = { ...written, key: 'mugs/mug', source, platformIds: {}, files: [before] };
    const name = await store.records.write({ ...made, finishedAt: '2026-01-01T00:00:00Z' });
    const [page] = await store.runAssets.page(0);
    if (page) page.previous = [name];
    await expect(run('{{ key }}.{{ ext }}', { accept: { change: '<1%' } })).rejects.toMatchObject({
      failure: { code: 'PICTURES_CHANGED' },
    });
    expect(await store.heldPictures.waiting()).toHaveLength(1);
  });
});
