// Runs on a platform with changed responses: files to pictures, to colorways with production files, to library items.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { plainImage } from '../../packages/sandbox/test/_library.ts';
import { triangleGlb } from '../../packages/sandbox/test/_start.ts';
import { libraryLister } from '../../src/capabilities/library/list-library.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import type { SettledAsset } from '../../src/plan/contract.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { fileLister } from '../../src/store/discovery/list-files.ts';
import type { Lister } from '../../src/store/discovery/lister.ts';
import { planOf } from '../compile/_compile.ts';
import type { OddPlatform } from './_odd-platform.ts';

/** By asset: its outcome or failure code, and the number of its files. */
export type Ended = Record<string, string>;

function planIn(platform: OddPlatform, nodes: readonly string[]): Plan {
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

async function play(
  platform: OddPlatform,
  nodes: readonly string[],
  files: Readonly<Record<string, Uint8Array>>,
  listerOf: (connector: LocalConnector) => Lister,
): Promise<SettledAsset[]> {
  for (const [name, bytes] of Object.entries(files)) {
    const file = join(platform.run.folder, 'in', name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, bytes);
  }
  const connector = new LocalConnector({ type: 'local', path: join(platform.run.folder, 'in') });
  const { found } = await listerOf(connector).list(undefined);
  const assets = found
    .map(({ unnamed, source }): Asset => ({ key: unnamed.short, source, refs: {} }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  return platform.play(planIn(platform, nodes), assets);
}

function models(connector: LocalConnector): Lister {
  const config = { include: ['**/*.glb'], exclude: [], stableForMs: 0 };
  return fileLister({ connector, config, node: 'take', now: () => 0 });
}

export function endedAs(settled: readonly SettledAsset[]): Ended {
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

/** The models of a folder, with one still each. */
export function pictures(platform: OddPlatform, keys = ['chair', 'lamp']): Promise<SettledAsset[]> {
  const files = keys.map((key) => [`${key}.glb`, triangleGlb([], key)] as const);
  return play(
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

/** The models of a category, uploaded one by one, as colorways with a production file. */
export async function sheets(platform: OddPlatform): Promise<SettledAsset[]> {
  await platform.run.material('Oak');
  return play(
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
export async function library(platform: OddPlatform): Promise<SettledAsset[]> {
  const every = (include: string) => ({ include: [include], exclude: [] });
  return play(
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
      libraryLister({
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
