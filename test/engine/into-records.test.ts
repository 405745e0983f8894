// The calls that create a record for every file, tested without a platform: exact groups, epochs and ambiguous
// outcomes.
import { describe, expect, it } from 'vitest';
import { LinkExpiredError } from '../../src/api/errors/transfer-errors.ts';
import { defineCreation } from '../../src/engine/submit/creation.ts';
import type { EarlierCall } from '../../src/engine/submit/finish-earlier-calls.ts';
import {
  type AssetWithoutUpload,
  type RecordWriter,
  type UploadFiles,
  uploadIntoRecords,
} from '../../src/engine/uploads/upload-into-records.ts';
import type { Asset } from '../../src/plan/types.ts';
import type { Intent } from '../../src/store/calls/intents.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { assetOf, storeOn } from '../store/_store.ts';
import { nodeContext } from './_context.ts';

/** Result of a file at a record: uploaded, link refused, or record missing. */
type Fate = 'up' | 'refused' | 'gone';
const creation = defineCreation({ operation: 'createModels', readIds: () => ({}) });
const morning = '2026-03-01T08:00:00.000Z';
const noon = '2026-03-01T12:00:00.000Z';

/** An upload whose files return these results, one after another. The last result repeats. */
function uploading(fates: Record<string, Fate[]>) {
  const store = storeOn(new MemoryConnector(), 'run-1');
  const intents = store.intents(0, 'step');
  const created: unknown[] = [];
  const filled: string[] = [];
  const unwanted: string[] = [];
  const met = new Map<string, number>();

  const begin = async (keys: string[], more: Partial<Intent> = {}): Promise<Intent> => {
    const { intent } = await intents.open({
      operation: creation.operation,
      key: `call ${keys.join()} ${more.epoch ?? 0}`,
      bodyText: '',
      assets: keys,
      createdAt: morning,
      ...more,
    });
    return { ...intent, ...more };
  };
  const fateOf = (key: string): Fate => {
    const times = met.get(key) ?? 0;
    met.set(key, times + 1);
    const of = fates[key] ?? [];
    return of[Math.min(times, of.length - 1)] ?? 'up';
  };
  const way: RecordWriter<Asset, 'createModels'> = {
    creation,
    create: async (assets, { epoch = 0, ambiguousSince }) => {
      const keys = assets.map(({ key }) => key);
      created.push({ keys: keys.join(' '), epoch, ...(ambiguousSince ? { ambiguousSince } : {}) });
      const call = { intent: await begin(keys, { epoch }), response: null, platformIds: {} };
      return { groups: [{ call, assets: [...assets] }], results: [] };
    },
    upload: async ({ call, assets }, refused) => {
      const unfilled: AssetWithoutUpload<Asset>[] = [];
      const up: string[] = [];
      for (const asset of assets) {
        if (refused.has(asset.key)) {
          unwanted.push(`${call.intent.key}: ${asset.key}`);
          continue;
        }
        const fate = fateOf(asset.key);
        if (fate === 'up') up.push(asset.key);
        const refusal = fate === 'refused' ? new LinkExpiredError('storage.example', 403) : null;
        if (fate !== 'up') unfilled.push({ asset, refusal });
      }
      filled.push(`${call.intent.key}: ${up.join(' ')}`);
      return { results: up.map((key) => ({ key, outcome: 'done' })), withoutUpload: unfilled };
    },
  };

  return {
    created,
    filled,
    /** Assets that the inspection has refused, by the call that created their record. */
    unwanted,
    begin,
    /** Abandoned calls. */
    abandoned: async () => {
      const all = await intents.list();
      return all.filter(({ state }) => state === 'abandoned').map(({ key }) => key);
    },
    put: (keys: string[], more: Partial<UploadFiles<Asset>> = {}) => {
      const earlierCalls = { calls: [], platformIds: {}, ambiguousSince: () => undefined };
      const files = {
        assets: keys.map((key) => assetOf(key)),
        refusedAssets: [],
        earlierCalls,
        ...more,
      };
      return uploadIntoRecords(files, way, nodeContext({ store }));
    },
  };
}

const earlierOf = (
  intents: Intent[],
  ambiguousSince?: string,
): UploadFiles<Asset>['earlierCalls'] => ({
  calls: intents.map(
    (intent): EarlierCall => ({
      intent,
      response: null,
      platformIds: {},
      assetKeys: new Set(intent.assets),
    }),
  ),
  platformIds: {},
  ambiguousSince: () => ambiguousSince,
});
const done = (...keys: string[]) => keys.map((key) => ({ key, outcome: 'done' }));

describe('files without a record', () => {
  it('files without a record get their records from one shared call', async () => {
    const upload = uploading({});
    expect(await upload.put(['a', 'b'])).toEqual(done('a', 'b'));
    expect(upload.created).toEqual([{ keys: 'a b', epoch: 0 }]);
    expect(await upload.abandoned()).toEqual([]);
  });

  it('files whose links are refused get another record, from a call without the uploaded files', async () => {
    const upload = uploading({ b: ['refused', 'up'], c: ['gone', 'refused', 'up'] });
    expect(await upload.put(['a', 'b', 'c'])).toEqual(done('a', 'b', 'c'));
    expect(upload.created).toEqual([
      { keys: 'a b c', epoch: 0 },
      { keys: 'b c', epoch: 1 },
      { keys: 'c', epoch: 2 },
    ]);
  });

  it.each([
    [
      'refused' as const,
      'storage.example refused all 4 signed links that the platform issued in turn (status 403)',
    ],
    ['gone' as const, 'the upload failed with all 4 signed links that the platform issued in turn'],
  ])(
    'files fail after four links (%s), and the other files are uploaded',
    async (fate, message) => {
      const upload = uploading({ a: [fate] });
      expect(await upload.put(['a', 'b'])).toEqual([
        ...done('b'),
        { key: 'a', outcome: 'failed', code: 'UPLOAD_REFUSED', message },
      ]);
      expect(upload.created).toEqual([
        { keys: 'a b', epoch: 0 },
        { keys: 'a', epoch: 1 },
        { keys: 'a', epoch: 2 },
        { keys: 'a', epoch: 3 },
      ]);
    },
  );

  it('a call is marked as abandoned if none of its files was uploaded', async () => {
    const upload = uploading({ a: ['refused', 'up'], b: ['refused', 'up'], c: ['refused', 'up'] });
    await upload.put(['a', 'b']);
    expect(await upload.abandoned()).toEqual(['call a,b 0']);
    await upload.put(['c', 'd']);
    expect(await upload.abandoned()).toEqual(['call a,b 0']);
  });

  it('no call is sent if there are no files', async () => {
    const upload = uploading({});
    expect(await upload.put([])).toEqual([]);
    expect(upload.created).toEqual([]);
  });
});

describe('records from an earlier attempt', () => {
  it('records are used even if the files are now grouped differently', async () => {
    const upload = uploading({});
    const calls = [await upload.begin(['a', 'b']), await upload.begin(['c', 'gone'])];
    expect(await upload.put(['b', 'c', 'd'], { earlierCalls: earlierOf(calls) })).toEqual(
      done('b', 'c', 'd'),
    );
    expect(upload.filled).toEqual(['call a,b 0: b', 'call c,gone 0: c', 'call d 0: d']);
    expect(upload.created).toEqual([{ keys: 'd', epoch: 0 }]);
  });

  it('records are read from the latest call, whatever the order of the list', async () => {
    const upload = uploading({});
    const first = await upload.begin(['a', 'b']);
    const second = await upload.begin(['a'], { epoch: 1 });
    await upload.put(['a', 'b'], { earlierCalls: earlierOf([second, first]) });
    expect(upload.filled).toEqual(['call a 1: a', 'call a,b 0: b']);
  });

  it('records from an earlier attempt count toward the four links of a file', async () => {
    const upload = uploading({ a: ['refused'] });
    const calls = await Promise.all([0, 1].map((epoch) => upload.begin(['a'], { epoch })));
    const [result] = await upload.put(['a'], { earlierCalls: earlierOf(calls) });
    expect(result).toMatchObject({ code: 'UPLOAD_REFUSED' });
    expect(upload.created).toEqual([
      { keys: 'a', epoch: 2 },
      { keys: 'a', epoch: 3 },
    ]);
  });

  it('abandoned records are not used, and the next call has another epoch', async () => {
    const upload = uploading({});
    const call = await upload.begin(['a'], { state: 'abandoned' });
    expect(await upload.put(['a'], { earlierCalls: earlierOf([call]) })).toEqual(done('a'));
    expect(upload.created).toEqual([{ keys: 'a', epoch: 1 }]);
  });

  it('the next call gets a higher epoch than any call for its files', async () => {
    const upload = uploading({});
    const calls = await Promise.all(
      [0, 1].map((epoch) => upload.begin(['a'], { epoch, state: 'abandoned' })),
    );
    await upload.put(['a', 'b'], { earlierCalls: earlierOf(calls) });
    expect(upload.created).toEqual([{ keys: 'a b', epoch: 2 }]);
  });

  it('records of files that the inspection refuses are passed on for deletion and not created again', async () => {
    const upload = uploading({});
    const call = await upload.begin(['a', 'b']);
    const refused = [assetOf('a'), assetOf('c')];
    expect(
      await upload.put(['b'], { refusedAssets: refused, earlierCalls: earlierOf([call]) }),
    ).toEqual(done('b'));
    expect(upload.unwanted).toEqual(['call a,b 0: a']);
    expect(upload.created).toEqual([]);
  });
});

describe('a call that may have created unreported records', () => {
  it.each([
    ['its own time', noon, undefined, noon],
    ['the time of earlier calls', undefined, noon, noon],
    ['the time of earlier calls if it comes first', noon, morning, morning],
    ['its own time if it comes first', morning, noon, morning],
  ])(
    'the call passes on %s as the time of its ambiguous outcome',
    async (_, ofCall, ofOthers, ambiguousSince) => {
      const upload = uploading({ a: ['gone', 'up'] });
      const call = await upload.begin(['a'], ofCall ? { ambiguousSince: ofCall } : {});
      await upload.put(['a'], { earlierCalls: earlierOf([call], ofOthers) });
      expect(upload.created).toEqual([{ keys: 'a', epoch: 1, ambiguousSince }]);
    },
  );

  it('calls for other files do not become ambiguous', async () => {
    const upload = uploading({});
    const call = await upload.begin(['a'], { ambiguousSince: noon });
    await upload.put(['a', 'b'], { earlierCalls: earlierOf([call]) });
    expect(upload.created).toEqual([{ keys: 'b', epoch: 0 }]);
  });
});
