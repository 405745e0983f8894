// Runs with altered responses of the platform: from files to images, to colorways with production files, to the
// library.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { plainImage } from '../../packages/sandbox/test/_library.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { createLibraryLister } from '../../src/features/library/list-library.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { createFileLister } from '../../src/store/discovery/list-files.ts';
import type { Lister } from '../../src/store/discovery/listed-source.ts';
import { planOf } from '../compile/_compile.ts';
import type { AlteredPlatform } from './_altered-platform.ts';

/** Results of the assets: the outcome or the failure code, and the number of files. */
export type OutcomeByAsset = Record<string, string>;

function planIn(platform: AlteredPlatform, nodes: readonly string[]): Plan {
  const at = (name: string) => join(platform.run.folder, name);
  return planOf(
    [
      'name: odd',
      'connectors:',
      `  models: { type: local, path: ${at('in')} }`,
      `  out: { type: local, path: ${at('out')} }`,
      'records: out',
      'nodes:',
      ...nodes.map((node) => `  - ${node}`),
    ].join('\n'),
  );
}

async function runPlan(
  platform: AlteredPlatform,
  nodes: readonly string[],
  files: Readonly<Record<string, Uint8Array>>,
  listerOf: (connector: LocalConnector) => Lister,
): Promise<FinalizedAsset[]> {
  for (const [name, bytes] of Object.entries(files)) {
    const file = join(platform.run.folder, 'in', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  const connector = new LocalConnector({ type: 'local', path: join(platform.run.folder, 'in') });
  const { sources } = await listerOf(connector).list(undefined);
  const assets = sources
    .map(({ unkeyed, source }): Asset => ({ key: unkeyed.shortKey, source, platformIds: {} }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  return platform.runPlan(planIn(platform, nodes), assets);
}

function models(connector: LocalConnector): Lister {
  const config = { include: ['**/*.glb'], exclude: [], stableForMs: 0 };
  return createFileLister({ connector, config, node: 'take', now: () => 0 });
}

export function outcomeByAsset(settled: readonly FinalizedAsset[]): OutcomeByAsset {
  return Object.fromEntries(
    settled.map(({ key, outcome, failure, files }) => [
      key,
      failure?.code ?? `${outcome}, ${files.length} files`,
    ]),
  );
}

const take = '{ id: take, type: connector_poll, config: { connector: models } }';
const ready = '{ id: ready, type: model_ready, parentIds: [take], timeout: 20s }';
const deliver = (parent: string, what = 'renders') =>
  `{ id: deliver, type: export, parentIds: [${parent}], config: { connector: out, what: [${what}], verify: { notBlank: false } } }`;

/** Models of a folder, with one still image each. */
export function pictures(
  platform: AlteredPlatform,
  keys = ['chair', 'lamp'],
): Promise<FinalizedAsset[]> {
  const files = keys.map((key) => [`${key}.glb`, triangleGlb([], key)] as const);
  return runPlan(
    platform,
    [
      take,
      ready,
      '{ id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }',
      '{ id: shots, type: render, parentIds: [look], timeout: 20s, config: { settings: { renderShots: false } } }',
      deliver('shots'),
    ],
    Object.fromEntries(files),
    models,
  );
}

/** Models of a category, each uploaded separately, as colorways with a production file. */
export async function sheets(platform: AlteredPlatform): Promise<FinalizedAsset[]> {
  await platform.run.material('Oak');
  return runPlan(
    platform,
    [
      take.replace('connector: models', 'connector: models, category: shoes'),
      ready,
      '{ id: v, type: variant, parentIds: [ready], timeout: 5m, config: { swapRules: [{ matchText: body, matchMode: contains, material: Oak }] } }',
      deliver('v', 'production_files').replace('type: export', 'type: export, timeout: 20m'),
    ],
    { 'shoe.glb': triangleGlb(['Red']) },
    models,
  );
}

/** A prop, a decal and a material. */
export async function library(platform: AlteredPlatform): Promise<FinalizedAsset[]> {
  const every = (include: string) => ({ include: [include], exclude: [] });
  return runPlan(
    platform,
    [
      '{ id: library, type: library_import, timeout: 5m, config: { connector: models, props: { include: ["props/**"] }, decals: { include: ["logos/**"] }, materials: { include: ["textures/**"] } } }',
    ],
    {
      'props/vase.glb': triangleGlb(),
      'logos/acme.png': await plainImage(),
      'textures/oak_diffuse.png': await plainImage(),
    },
    (connector) =>
      createLibraryLister({
        connector,
        config: {
          props: every('props/**'),
          decals: every('logos/**'),
          materials: { ...every('textures/**'), unmatchedAsDiffuse: false },
          stableForMs: 0,
        },
        node: 'library',
        now: () => 0,
      }),
  );
}
