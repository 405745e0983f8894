// Writes on which a run relies after a power cut are durable. Tests of the connectors show that durable writes survive.
import { expect, test } from 'vitest';
import type { WriteOptions } from '../../src/connectors/connector.ts';
import type { PublishedZip } from '../../src/store/runs/publications/published-zips.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { noStages } from '../plan/_steps.ts';
import {
  assetOf,
  dead,
  manifestAsset,
  recipe,
  settledAs,
  storeOn,
  withManifest,
} from './_store.ts';

class NotingConnector extends MemoryConnector {
  /** Whether each write was durable. */
  readonly noted: boolean[] = [];

  override async write(path: string, bytes: Uint8Array, options: WriteOptions = {}) {
    this.noted.push(options.durable === true);
    return super.write(path, bytes, options);
  }
}

const intent = {
  operation: 'createJob',
  key: 'k',
  bodyText: '{}',
  assets: ['one'],
  createdAt: '2026-03-01T10:00:00.000Z',
};
const begun = (store: RunStore) => store.intents(0, 'take').open(intent);
const record = {
  ...assetOf('one'),
  recipe,
  files: [],
  run: 'a',
  lineage: 'a',
  finishedAt: intent.createdAt,
};

const zip: PublishedZip = {
  run: 'a',
  connector: 'out',
  digest: '',
  mtimeMs: 0,
  path: 'all.zip',
  files: 1,
  bytes: 1,
  isNew: true,
  absent: 0,
  altered: 0,
};
const wish = { key: 'one', version: '1-1', shard: 0 };

test.each<[string, (store: RunStore) => Promise<unknown>, (store: RunStore) => Promise<unknown>]>([
  ['the claim of an asset', async () => undefined, (store) => store.claims.claim(wish, dead)],
  [
    'the claim of an asset that was taken over',
    (store) => store.claims.markFree(wish, 'cancelled', null),
    (store) => store.claims.claim(wish, dead),
  ],
  [
    'the end of a claim',
    (store) => store.claims.claim(wish, dead),
    (store) => store.claims.markFree(wish, 'failed', null),
  ],
  ['a call before it is sent', async () => undefined, begun],
  ['a call that may have worked', begun, (store) => store.intents(0, 'take').markAmbiguous('k')],
  ['a call that was refused', begun, (store) => store.intents(0, 'take').refuse('k')],
  ['a call that was abandoned', begun, (store) => store.intents(0, 'take').abandon('k')],
  [
    'the result of a call',
    begun,
    (store) => store.intents(0, 'take').finish('k', { one: { modelId: 'm' } }),
  ],
  [
    'the result of an activity',
    async () => undefined,
    (store) =>
      store.pages(0).write('x-1-1', 'take', [{ assetIndex: 0, platformIds: { modelId: 'm' } }]),
  ],
  [
    'the origin of assets that were taken over',
    async () => undefined,
    (store) => store.writeOrigins(0, [{ run: 'dead', shard: 0 }]),
  ],
  [
    'the number of a rerun',
    (store) => withManifest(store, [manifestAsset('one')]),
    (store) => store.nextEpoch(),
  ],
  [
    'the assets of a run, and their refused sources',
    async () => undefined,
    (store) =>
      store.runAssets.write({
        assets: [manifestAsset('one')],
        shardSize: 1,
        counts: { total: 2, new: 1, changed: 0, unchanged: 0 },
        refused: [{ key: 'two', node: 'take', code: 'KEY_CLASH', message: 'rename', attempts: 1 }],
        discoveryPage: {
          number: 0,
          before: null,
          after: 'one',
          tables: undefined,
          keys: ['one\n'],
        },
      }),
  ],
  [
    'the records that a run withdraws',
    async () => undefined,
    (store) => store.withdrawals.write(['one@1-1~aaaaaaaa.json']),
  ],
  [
    'the owner of a delivered file',
    async () => undefined,
    (store) => store.pathOwners.claim([{ destination: 'out', path: 'one.png', key: 'one' }]),
  ],
  ['the recipe of a run', async () => undefined, (store) => store.recipes.write(recipe, noStages)],
  ['the parameters of a run', async () => undefined, (store) => store.parameterSets.write({})],
  [
    'how assets ended',
    async () => undefined,
    (store) => store.results.write('a', 0, 0, [settledAs('complete', assetOf('one'))]),
  ],
  [
    'a value that several assets share',
    async () => undefined,
    (store) => store.sharedValues.claim({ id: 'd', fingerprint: 'f', asset: 'one' }),
  ],
  [
    'the content of a zip',
    async () => undefined,
    (store) => store.publishedZips.write('all.zip', zip),
  ],
  [
    'the record of a delivered asset',
    async () => undefined,
    (store) => store.records.write(record),
  ],
])('%s is written durably', async (_what, before, write) => {
  const connector = new NotingConnector();
  const store = storeOn(connector, 'a');
  await before(store);
  connector.noted.length = 0;
  await write(store);
  expect(new Set(connector.noted)).toEqual(new Set([true]));
});
