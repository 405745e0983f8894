import { z } from 'zod';
import { idFields } from '../../api/resources.ts';
import type { StepWork } from '../../engine/cost/step-cost.ts';
import { createDraft, defineNode, defineStep } from '../../engine/node-type.ts';
import { defineWait } from '../../engine/wait-results.ts';
import { fail, failMissing } from '../../failures/fail.ts';
import { toDurationMs } from '../../language/duration.ts';
import { connectorName, duration, globs, valueText } from '../../language/fields.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { libraryFailures } from './failures.ts';
import { importLibrary } from './import-library.ts';
import { findItemId, kindOf, type LibraryKind } from './library-kinds.ts';
import {
  type ItemPollResult,
  isItemFinished,
  libraryStatusPoller,
  type WatchedItem,
} from './library-status-poller.ts';
import { createLibraryLister, createPathFilter } from './list-library.ts';

/** Typical processing time of an item. Materials take one to two minutes. */
const librarySeconds = 90;
/** A material is polled every five seconds for `librarySeconds`. */
const pollsPerMaterial = 18;
const pollsPerProp = 2;

function countByKind(foundAssets: StepWork['found']): Record<LibraryKind, number> {
  const items = { prop: 0, decal: 0, material: 0 };
  for (const { source } of foundAssets) items[kindOf(source)] += 1;
  return items;
}

const kind = {
  include: globs.min(1).describe('Globs of files to include, matched case-insensitively.'),
  exclude: globs
    .default([])
    .describe('Globs of files to exclude. Hidden and temporary files are always excluded.'),
  collection: valueText
    .optional()
    .describe(
      'Collection for new items, created if it does not exist. May contain CEL: `{{ asset.folder }}`.',
    ),
};

const Config = z
  .strictObject({
    connector: connectorName,
    props: z.strictObject(kind).optional().describe('Models that become props.'),
    decals: z
      .strictObject(kind)
      .optional()
      .describe(
        'Pictures that become decals. A picture used as a decal is not also used as a texture.',
      ),
    materials: z
      .strictObject({
        ...kind,
        unmatchedAsDiffuse: z
          .boolean()
          .default(false)
          .describe('Pictures whose names do not indicate a channel become separate materials.'),
      })
      .optional()
      .describe(
        'Pictures that are textures. A set of textures becomes a material, with one picture per channel.',
      ),
    stableFor: duration('A file that changed within this time is left for the next run.').default(
      '1s',
    ),
  })
  .refine(({ props, decals, materials }) => props ?? decals ?? materials, {
    message: 'needs props, decals or materials',
  });

const awaitLibrary = defineWait((context) => ({
  poller: libraryStatusPoller(context.pollerContext),
  itemOf: watchedItemOf,
  resultOf: toResult,
  timeout: { failure: libraryFailures.LIBRARY_TIMEOUT, what: 'its library item was not ready' },
  canEndAtOnce: true,
}));

export const libraryComplete = defineStep({
  type: 'library_complete',
  config: z.strictObject({}),
  mode: 'wait',
  waitsFor: 'the platform to process library items',
  profile: { batch: 250, startToClose: '2m', timeout: '6h' },
  route: () => 'polls up to 100 items of a kind per request; decals are ready once confirmed',
  cost: {
    seconds: librarySeconds,
    // Decals need no poll, because they are ready once they are confirmed.
    requests({ found }) {
      const { prop, material } = countByKind(found);
      return {
        checkPropStatus: pollsPerProp * Math.ceil(prop / 100),
        checkMaterialStatus: pollsPerMaterial * Math.ceil(material / 100),
      };
    },
  },
  run: awaitLibrary,
});

export const libraryImport = defineNode({
  type: 'library_import',
  summary: 'Upload props, decals and texture sets from a connector to the library.',
  docs: `One asset is one item of the library. Models become props, pictures become decals. Textures are grouped into
materials by their names, as \`plan-import\` of the platform does: before anything is uploaded, \`renderline plan\` shows each
material with its channels, and the pictures that belong to no material (packed or unmatched maps, duplicates). A run warns
about these pictures; they do not fail the run.

Unchanged files are not uploaded again, nor are texture sets without a changed file. The platform cannot
replace the file of an item, so a changed file becomes a new item. The old item stays, unless the file sets \`supersede: delete-after-success\`
([files that change](README.md#files-that-change)). Changing \`collection\` does not move existing items.

A picture that changed a short time ago is read twice, because an incomplete copy may look complete: see [connector_poll](connector_poll.md).

Broken models, and files that are not pictures, are refused before anything is created. An item is done when the
platform has processed it; materials take one to two minutes. \`timeout\` is how long one item may take (default 6h).`,
  example: `name: fill-library
parameters:
  folder: { type: path, required: true }
connectors:
  files: { type: local, path: "\${{ params.folder }}" }
records: files
nodes:
  - id: library
    type: library_import
    config:
      connector: files
      props: { include: ["props/**/*.glb"] }
      decals: { include: ["logos/**"], collection: Logos }
      materials: { include: ["textures/**"], collection: "{{ asset.folder }}" }
`,
  config: Config,
  mode: 'call',
  submits: true,
  root: {
    from: 'files',
    by: [],
    providedResources: () => [],
    files: (config) => ({ connector: config.connector, takes: createPathFilter(config) }),
    list: ({ connector, stableFor, ...kinds }, { node, now, getConnector }) =>
      createLibraryLister({
        connector: getConnector(connector),
        config: { ...kinds, stableForMs: toDurationMs(stableFor) },
        node,
        now,
      }),
  },
  needs: [],
  gives: ['library item'],
  profile: { batch: 50, startToClose: '2h', heartbeat: '20s', timeout: '6h' },
  // No setting is part of the recipe. The platform cannot replace a file, so importing again would create a duplicate.
  stage: 'source',
  recipe: [],
  route: (_config, batch) =>
    `uploads props and decals, up to ${batch} per request, and each material with its own request`,
  steps: (config, scope) => [scope.own(config), createDraft('complete', libraryComplete)],
  cost: {
    requests({ found, batch }) {
      const { prop, decal, material } = countByKind(found);
      return {
        createProps: Math.ceil(prop / batch),
        confirmProp: prop,
        createDecals: Math.ceil(decal / batch),
        confirmDecal: decal,
        createMaterial: material,
        confirmMaterial: material,
      };
    },
    creates: kindOf,
  },
  run: importLibrary,
});

/** Returns the item to poll, or null if the asset has no item or if the item was ready as soon as it was confirmed. */
function watchedItemOf({ source, platformIds }: StepAsset): WatchedItem | null {
  const id = findItemId(source, platformIds);
  return id === undefined || platformIds.itemReady ? null : { kind: kindOf(source), id };
}

function toResult(asset: StepAsset, pollResult: ItemPollResult | undefined): AssetResult | null {
  const { key, source, platformIds } = asset;
  if (platformIds.itemReady) return { key, outcome: 'done' };
  const kind = kindOf(source);
  const itemLabel = `${kind} ${findItemId(source, platformIds) ?? '(none)'}`;
  const forget = [idFields[kind]];
  if (pollResult === null || findItemId(source, platformIds) === undefined) {
    return failMissing(libraryFailures.LIBRARY_ITEM_NOT_FOUND, key, itemLabel, forget);
  }
  if (pollResult === undefined || !isItemFinished(pollResult)) return null;
  if (pollResult.status.toLowerCase() === 'ready') return { key, outcome: 'done' };
  const message = pollResult.error ?? `${itemLabel} failed; the platform gives no reason`;
  return fail(libraryFailures.LIBRARY_ITEM_FAILED, key, message, { forgetIds: forget });
}
