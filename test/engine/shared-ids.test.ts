// A platform that returns one id for two assets. Neither asset uses what may belong to the other.
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import type { Creation } from '../../src/engine/submit/creation.ts';
import { replaceSharedIds } from '../../src/engine/submit/shared-ids.ts';
import * as library from '../../src/features/library/creations.ts';
import * as models from '../../src/features/models/creations.ts';
import { pantoneMaterialCreation } from '../../src/features/pantone/creations.ts';
import { productionFileCreation } from '../../src/features/production/creations.ts';
import { projectCreation } from '../../src/features/projects/creations.ts';
import * as renders from '../../src/features/renders/creations.ts';
import * as variants from '../../src/features/variants/creations.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { storesOver } from '../store/_store.ts';
import { AlteredPlatform } from './_altered-platform.ts';
import { outcomeByAsset, pictures } from './_altered-runs.ts';

interface Case {
  creation: Creation;
  /** Platform ids with the given id. */
  platformIds: (id: string) => PlatformIds;
  /** One request is about one asset, or returns one id for all its assets. */
  isAlone?: true;
}

const modelId = (id: string): PlatformIds => ({ modelId: id });
const cases: Case[] = [
  { creation: models.uploadJobCreation as Creation, platformIds: modelId },
  { creation: models.modelCreation as Creation, platformIds: modelId },
  { creation: library.propCreation as Creation, platformIds: (propId) => ({ propId }) },
  { creation: library.decalCreation as Creation, platformIds: (decalId) => ({ decalId }) },
  {
    creation: library.materialCreation as Creation,
    platformIds: (materialId) => ({ materialId }),
    isAlone: true,
  },
  {
    creation: pantoneMaterialCreation as Creation,
    platformIds: (materialId) => ({ materialId }),
    isAlone: true,
  },
  { creation: projectCreation as Creation, platformIds: (projectId) => ({ projectId }) },
  { creation: renders.renderCreation as Creation, platformIds: (jobId) => ({ jobId }) },
  {
    creation: productionFileCreation as Creation,
    platformIds: (exportId) => ({ sheet: { exportId } }),
    isAlone: true,
  },
  {
    creation: variants.colorwayBatchCreation as Creation,
    platformIds: (batchId) => ({ colorway: { before: '', batchId } }),
    isAlone: true,
  },
];
const table = cases.map((one) => [one.creation.operation, one] as const);

/** Calls that create no resource with its own id. */
const withoutIds = [
  'confirmJobUploads',
  'retryRenderJob',
  'retryColorwayJob',
  'addVariantsToProject',
];

const callOf = ({ creation }: Case, key: string, ...assets: string[]) => ({
  operation: creation.operation,
  key,
  params: { modelId: `model of ${assets[0]}` },
  assets,
});

async function finished(
  store: RunStore,
  one: Case,
  key: string,
  answer: Record<string, PlatformIds>,
) {
  const log = store.intents(0, 'step');
  const call = callOf(one, key, ...Object.keys(answer));
  await log.open({ ...call, bodyText: '', createdAt: '2026-03-01T10:00:00.000Z' });
  await log.finish(key, answer);
}

describe('an id that two assets get', () => {
  it('every creating call checks its ids', () => {
    const all = [
      library,
      models,
      {
        createPantoneMaterial: pantoneMaterialCreation,
        exportProductionFile: productionFileCreation,
        createProjects: projectCreation,
      },
      renders,
      variants,
    ];
    const declared = all.flatMap((module) =>
      Object.values(module).flatMap((one) => (typeof one === 'object' ? [one.operation] : [])),
    );
    const known = [...cases.map(({ creation }) => creation.operation), ...withoutIds];
    expect(new Set(declared)).toEqual(new Set(known));
    const making = Object.values(operations).flatMap((row) => ('creates' in row ? [row.id] : []));
    expect(making.filter((id) => !cases.some(({ creation }) => creation.operation === id))).toEqual(
      [],
    );
  });

  it.each(table.filter(([, { isAlone }]) => !isAlone))(
    'if a response to %s repeats an id, neither asset gets it, and the other assets keep theirs',
    async (operation, one) => {
      const answer = { a: one.platformIds('x'), b: one.platformIds('x'), c: one.platformIds('y') };
      const store = storesOver()('run');
      const call = callOf(one, 'k', 'a', 'b', 'c');
      const own = await replaceSharedIds(call, one.creation, answer, { store, shard: 0 });
      expect(own).toEqual({
        a: {
          idConflict: expect.stringContaining(
            `the platform returned x (${operation}) for this asset and`,
          ),
        },
        b: { idConflict: expect.stringContaining('for this asset and for "a"') },
        c: answer.c,
      });
    },
  );

  it.each(table)(
    'an id that two calls to %s return is not given to the second asset',
    async (_operation, one) => {
      const store = storesOver()('run');
      await finished(store, one, 'before', { a: one.platformIds('x') });
      const call = callOf(one, 'k', 'b');
      const at = { store, shard: 0 };
      const own = await replaceSharedIds(call, one.creation, { b: one.platformIds('x') }, at);
      expect(own).toEqual({
        b: { idConflict: expect.stringContaining('for this asset and for "a"') },
      });
      const other = { b: one.platformIds('y') };
      expect(await replaceSharedIds(call, one.creation, other, at)).toEqual(other);
    },
  );

  it.each(table.filter(([, { creation }]) => creation.operation !== 'createColorwayBatch'))(
    'an id that two calls to %s return for the same asset is kept',
    async (_operation, one) => {
      const store = storesOver()('run');
      await finished(store, one, 'before', { a: one.platformIds('x') });
      const answer = { a: one.platformIds('x') };
      const call = callOf(one, 'k', 'a');
      expect(await replaceSharedIds(call, one.creation, answer, { store, shard: 0 })).toEqual(
        answer,
      );
    },
  );

  it('an id from a call in an earlier run is not given to the second asset', async () => {
    const [one] = cases.filter(({ creation }) => creation.operation === 'createProjects');
    if (one === undefined) throw new Error('there is no such case');
    const stores = storesOver();
    await finished(stores('before'), one, 'before', { a: one.platformIds('x') });
    const store = stores('run');
    await store.writeOrigins(0, [{ run: 'before', shard: 0 }]);
    const call = callOf(one, 'k', 'b');
    const own = await replaceSharedIds(
      call,
      one.creation,
      { b: one.platformIds('x') },
      { store, shard: 0 },
    );
    expect(own).toEqual({
      b: { idConflict: expect.stringContaining('for this asset and for "a"') },
    });
  });
});

/** Gives the second resource of an operation the id of the first one. */
function doubling(operation: string, list: string, field: string) {
  const ids: unknown[] = [];
  return (called: string, body: unknown) => {
    if (called !== operation) return undefined;
    const answer = body as Record<string, Record<string, unknown>[]>;
    const items = (answer[list] ?? []).map((item) => {
      ids.push(item[field]);
      return ids.length === 2 ? { ...item, [field]: ids[0] } : item;
    });
    return { ...answer, [list]: items };
  };
}

async function play(operation: string, list: string, field: string, durationMs?: number) {
  const platform = await AlteredPlatform.start();
  try {
    if (durationMs !== undefined) {
      await platform.run.control('faults', [{ model: '**', do: { durationMs } }]);
    }
    platform.alterResponse = doubling(operation, list, field);
    const settled = await pictures(platform, ['chair', 'lamp', 'sofa']);
    return { settled, counts: platform.counts };
  } finally {
    await platform.stop();
  }
}

const delivered = 'complete, 1 files';

describe.concurrent('a run of three models, two of which get the same id', () => {
  const operations = [
    ['createProjects', 'projects', 'projectId'],
    ['createRenders', 'jobs', 'jobId'],
  ] as const;

  it.each(operations)(
    'if one response to %s contains the same id for two models, both fail',
    async (...one) => {
      const { settled, counts } = await play(...one, 1);
      expect(counts.get('createProjects')).toBe(1);
      expect(outcomeByAsset(settled)).toEqual({
        chair: 'ID_OF_ANOTHER',
        lamp: 'ID_OF_ANOTHER',
        sofa: delivered,
      });
      const [chair] = settled.filter(({ key }) => key === 'chair');
      expect(chair?.failure?.message).toContain(`(${one[0]}) for this asset and for "lamp"`);
    },
  );

  it.each(operations)(
    'if two responses to %s contain the same id, the second model fails',
    async (...one) => {
      const { settled, counts } = await play(...one);
      expect(counts.get('createProjects')).toBe(3);
      expect(Object.values(outcomeByAsset(settled)).sort()).toEqual([
        'ID_OF_ANOTHER',
        delivered,
        delivered,
      ]);
    },
  );

  it('if a response to createJob contains the same id for two models, each still gets its own model', async () => {
    const { settled, counts } = await play('createJob', 'models', 'id');
    expect(Object.values(outcomeByAsset(settled))).toEqual([delivered, delivered, delivered]);
    expect(new Set(settled.map(({ platformIds }) => platformIds.modelId)).size).toBe(3);
    expect(counts.get('createModels')).toBe(1);
  });
});
