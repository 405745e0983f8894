// Files whose names change together with their pictures, as when a row gets another SKU and another material.
import { describe, expect, it } from 'vitest';
import type { ImageOptions } from '../../src/features/delivery/images/image-fields.ts';
import { removeRenamed } from '../../src/features/delivery/remove-renamed.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { AssetResult, DeliveredFile, Stages } from '../../src/plan/types.ts';
import { noStages } from '../plan/_steps.ts';
import { sourceOf, withManifest } from '../store/_store.ts';
import { runContext } from './_context.ts';
import { paths, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const key = 'lamp';
const source = sourceOf(key);

const stagesWith = (fingerprint: string): Stages => ({
  ...noStages,
  deliveries: { step: { fingerprint, connector: 'out' } },
});
const filesOf = (results: readonly AssetResult[]): DeliveredFile[] =>
  results.flatMap((result) => ('files' in result ? (result.files ?? []) : []));

interface Delivery {
  sku: string;
  /** Ids of the pictures. Other ids are other pictures. */
  pictures: readonly string[];
  /** Fingerprint of the export, which changes with its naming and with the row. */
  fingerprint: string;
  images?: readonly ImageOptions[];
  supersede?: 'keep';
  naming?: string;
}

/** Delivers the first pictures, then the second ones, and deletes what the second delivery replaces. */
async function deliverTwice(first: Delivery, second: Delivery): Promise<string[]> {
  const deliver = async (
    recipe: string,
    {
      sku,
      pictures,
      fingerprint,
      naming = '{{ project }}_{{ index }}.{{ ext }}',
      ...options
    }: Delivery,
  ) => {
    const run = runContext({ run: recipe, recipe, connectors: { out: { type: 'local' } } });
    const store = openRunStore(delivery.records, run);
    await store.recipes.write(recipe, stagesWith(fingerprint));
    const outputs = pictures.map((id) => delivery.output(id, id));
    for (const id of pictures)
      delivery.platform.pictures.set(
        `${id}.png`,
        Buffer.concat([delivery.picture, Buffer.from(id)]),
      );
    const asset = delivery.rendered(key, ...outputs);
    const platformIds = { ...asset.platformIds, projectId: sku };
    const step = {
      id: 'step',
      node: 'step',
      batch: 50,
      redo: null,
      delivery: fingerprint,
    } as never;
    const more = { run, store, step, ...options };
    return { store, results: () => delivery.run(naming, [{ ...asset, platformIds }], more) };
  };
  const before = await deliver('first', first);
  const record = await before.store.records.write({
    key,
    source,
    recipe: 'first',
    platformIds: {},
    files: filesOf(await before.results()),
    run: 'first',
    lineage: 'first',
    finishedAt: '2026-01-01T00:00:00Z',
  });
  const { store, results } = await deliver('second', second);
  await withManifest(store, [{ key, source, reason: 'recipe', previous: [record] }]);
  const delivered = await results();
  const context = {
    store,
    getConnector: () => delivery.connector,
    signal: new AbortController().signal,
    assertLease: async () => undefined,
  };
  expect(await removeRenamed({ key, source, files: filesOf(delivered) }, context)).toEqual([]);
  expect(paths(delivered)).not.toEqual([]);
  return delivery.files();
}

const web: readonly ImageOptions[] = [
  { format: 'WEBP', naming: 'web/{{ project }}_{{ index }}.{{ ext }}' },
];
const jpeg: readonly ImageOptions[] = [
  { format: 'JPEG', naming: 'old/{{ project }}_{{ index }}.{{ ext }}' },
];
const before: Delivery = { sku: 'A', pictures: ['a1', 'a2'], fingerprint: 'of-a' };
const after: Delivery = { sku: 'B', pictures: ['b1', 'b2'], fingerprint: 'of-b' };
const made = ['B_1.png', 'B_2.png'];

describe('new pictures under new names', () => {
  it.each<[string, Partial<Delivery>, Partial<Delivery>, string[]]>([
    ['replace the old pictures', {}, {}, made],
    [
      'replace the images of the old pictures, too',
      { images: web },
      { images: web },
      [...made, 'web/B_1.webp', 'web/B_2.webp'],
    ],
    ['replace fewer old pictures', { pictures: ['a1'] }, {}, made],
    [
      'leave the old pictures if some of them have no successor',
      {},
      { pictures: ['b1'] },
      ['A_1.png', 'A_2.png', 'B_1.png'],
    ],
    [
      'leave the images of a deleted entry',
      { images: jpeg },
      {},
      [...made, 'old/A_1.jpg', 'old/A_2.jpg'],
    ],
    [
      'leave the old pictures if the export keeps old files',
      {},
      { supersede: 'keep' },
      ['A_1.png', 'A_2.png', ...made],
    ],
    [
      'leave the old pictures if each run has names of its own',
      { naming: '{{ run }}/{{ index }}.{{ ext }}' },
      { naming: '{{ run }}/{{ index }}.{{ ext }}' },
      ['first/1.png', 'first/2.png', 'second/1.png', 'second/2.png'],
    ],
    [
      'leave the old pictures if each run has names of its own, which a filter changes',
      { naming: '{{ run | upper }}/{{ index }}.{{ ext }}' },
      { naming: '{{ run | upper }}/{{ index }}.{{ ext }}' },
      ['FIRST/1.png', 'FIRST/2.png', 'SECOND/1.png', 'SECOND/2.png'],
    ],
    [
      'leave the old pictures if neither the export nor the row has changed',
      { fingerprint: 'of-b' },
      {},
      ['A_1.png', 'A_2.png', ...made],
    ],
  ])('new pictures %s', async (_name, first, second, files) => {
    expect(await deliverTwice({ ...before, ...first }, { ...after, ...second })).toEqual(files);
  });
});
