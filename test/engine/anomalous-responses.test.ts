// Whole runs with responses that differ from the reference.
import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../src/api/operations/index.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import { type Alteration, allOf, alterations, alterParts } from '../api/_altered-parts.ts';
import { AlteredPlatform } from './_altered-platform.ts';
import { library, outcomeByAsset, pictures, sheets } from './_altered-runs.ts';

/** The runs of this file are concurrent, because a run spends most of its time waiting. */
async function over<T>(work: (platform: AlteredPlatform) => Promise<T>): Promise<T> {
  const platform = await AlteredPlatform.start();
  try {
    return await work(platform);
  } finally {
    await platform.stop();
  }
}

const runs = { pictures, sheets, library };
const asPromised = {
  pictures: { chair: 'complete, 1 files', lamp: 'complete, 1 files' },
  sheets: { shoe: 'complete, 1 files' },
  library: {
    'logos/acme': 'complete, 0 files',
    'props/vase': 'complete, 0 files',
    'textures/oak': 'complete, 0 files',
  },
};

/** Parts that are never altered. Without them the response is still readable, but the run cannot continue. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  createJob: ['uploadUrl'],
  createModels: ['uploadUrl'],
  createProps: ['uploadUrl'],
  createDecals: ['uploadUrl'],
  createMaterial: ['uploads'],
  // Pipeline files name these objects.
  listTemplates: ['name'],
  listMaterials: ['name'],
  listModelVariants: ['variantId', 'name'],
  listProductionFiles: ['downloadUrl'],
};

const unlessWanted =
  (one: Alteration): Alteration =>
  (part) =>
    wanted[part.operation]?.includes(part.name) ? part.value : one(part);

const harmless: Readonly<Record<string, Alteration>> = {
  'optional parts are missing, known values have another case, and numbers and booleans are text':
    allOf(unlessWanted(alterations.missing), alterations.inOtherCase, alterations.asText),
  'optional parts have another type, every item is duplicated, and objects have extra fields':
    allOf(unlessWanted(alterations.ofOtherType), alterations.twice, alterations.more),
};

describe.concurrent.each(Object.entries(harmless))('a run in which %s', (_, one) => {
  it.each(Object.keys(runs) as (keyof typeof runs)[])('the %s run still ends as usual', (name) =>
    over(async (platform) => {
      platform.alterResponse = (operation, body) => alterParts(operation, body, one);
      expect(outcomeByAsset(await runs[name](platform))).toEqual(asPromised[name]);
    }),
  );
});

interface Item {
  name?: string;
  fileName?: string;
  [field: string]: unknown;
}

/** Overrides fields of the list items for the lamp. */
function onLamp(operation: OperationId, fields: object, isLamp: (item: Item) => boolean) {
  return (platform: AlteredPlatform) => {
    platform.alterResponse = (called, body) => {
      if (called !== operation) return undefined;
      const lists = Object.entries(body as object).map(([name, list]: [string, unknown]) => [
        name,
        Array.isArray(list)
          ? list.map((item: Item) => (isLamp(item) ? { ...item, ...fields } : item))
          : list,
      ]);
      return Object.fromEntries(lists) as unknown;
    };
  };
}

const named = ({ name, fileName }: Item) => /lamp/.test(`${name} ${fileName}`);
/** Selects the second item of a list of two. In both runs the items have the order of the files. */
const second = () => {
  let seen = 0;
  return () => {
    seen += 1;
    return seen % 2 === 0;
  };
};

const told = (settled: readonly FinalizedAsset[]) =>
  settled.find(({ key }) => key === 'lamp')?.failure;

describe.concurrent('an error in the part of a response that concerns one asset', () => {
  it.each<[string, (platform: AlteredPlatform) => void, string, string]>([
    [
      'an unreadable status of its model',
      onLamp('checkModelStatus', { status: { odd: 1 } }, named),
      'MODEL_TIMEOUT',
      'the platform has reported no status',
    ],
    [
      'an unknown status of its model',
      onLamp('checkModelStatus', { status: 'FROBNICATING', ready: false }, named),
      'MODEL_TIMEOUT',
      'its model was not ready within 20s; its status on the platform is FROBNICATING',
    ],
    [
      'a missing upload address of its file',
      onLamp('createJob', { uploadUrl: null }, named),
      'MODEL_NOT_CREATED',
      'the platform returned no upload address',
    ],
  ])('%s fails only that asset', (_, odd, code, message) =>
    over(async (platform) => {
      odd(platform);
      const settled = await pictures(platform);
      expect(outcomeByAsset(settled)).toEqual({ chair: 'complete, 1 files', lamp: code });
      expect(told(settled)?.message).toContain(message);
    }),
  );

  it('a missing project id does not fail the asset, because the project list contains the id', () =>
    over(async (platform) => {
      onLamp('createProjects', { projectId: {} }, second())(platform);
      const settled = await pictures(platform);
      expect(outcomeByAsset(settled)).toEqual({
        chair: 'complete, 1 files',
        lamp: 'complete, 1 files',
      });
    }));
});
