// A folder of models and a table of their colorways, with helpers for the results.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { runInProcess } from './_in-process.ts';
import { createPipelineFolder, type PipelineFolder, type RunReport } from './_runs.ts';
import type { SandboxInUse } from './_sandbox.ts';
import type { Env } from './_stack.ts';

export type Rows = [model: string, colorway: string, slot: string, material: string][];

export const paints = {
  Oak: '#b08050',
  Walnut: '#5a4030',
  Navy: '#13294b',
  Linen: '#e8e0d0',
  Moss: '#607040',
  Brick: '#a04030',
  Sand: '#d8c8a0',
};

/** Models with one slot, `body`, and a pipeline that reads their colorways from a table next to them. */
export async function createGridFolder(
  name: string,
  models: readonly string[],
  template = 'Studio White',
): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  const given = `folder: ${place.folder}, out: ${place.out}`;
  for (const key of models) await writeFile(join(place.folder, `${key}.glb`), triangleGlb([], key));
  await writeFile(
    place.file,
    `name: ${name}
maxRetries: 1
batchSize: 50
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 500ms } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - id: colour
    type: variant
    parentIds: [ready]
    config: { colorways: { table: { connector: models, path: colorways.csv } } }
  - { id: look, type: template_match, parentIds: [colour], config: { default: ${template} } }
  - id: shots
    type: render
    parentIds: [look]
    config: { settings: { renderShots: false, imageCustomResolution: true, imageCustomWidth: 64, imageCustomHeight: 36 } }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}/{{ name }}-{{ index }}.{{ ext }}" }
schedule: { cron: "0 2 * * *", parameters: { ${given} } }
`,
  );
  return place;
}

export async function writeTable({ folder }: PipelineFolder, rows: Rows): Promise<void> {
  const lines = [['model', 'colorway', 'slot', 'material'], ...rows].map((row) => row.join(','));
  await writeFile(join(folder, 'colorways.csv'), `${lines.join('\n')}\n`);
}

export const rowsOf = (models: readonly string[], colours: readonly string[]): Rows =>
  models.flatMap((model) => colours.map((one): Rows[number] => [model, one, 'body', one]));

export async function paint({ api }: Pick<SandboxInUse, 'api'>): Promise<void> {
  for (const [index, [name, hex]] of Object.entries(paints).entries()) {
    const pantoneCode = `${index + 100} C`;
    await api('POST', '/materials/pantone', { name, pantoneCode, hex });
  }
}

/** Number of files by folder (`model/colorway`). */
export async function delivered({ out }: PipelineFolder): Promise<Record<string, number>> {
  const paths = await readdir(out, { recursive: true });
  const files = paths.filter((path) => path.endsWith('.png') && !path.startsWith('.'));
  const counts: Record<string, number> = {};
  for (const path of files) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts[folder] = (counts[folder] ?? 0) + 1;
  }
  return counts;
}

export const keysOf = ({ files }: RunReport) =>
  [...new Set(files.map(({ key }) => key))].toSorted();

export interface Cleaned {
  orphans: { kind: string; reason: string }[];
  removed: { key: string }[];
  deleted: { kind: string }[];
}

export const gridArguments = ({ file, folder, out }: PipelineFolder) => [
  file,
  '--param',
  `folder=${folder}`,
  '--param',
  `out=${out}`,
];

export async function clean(place: PipelineFolder, env: Env, ...flags: string[]): Promise<Cleaned> {
  const args = ['clean', ...gridArguments(place), '--older-than', '0s', ...flags, '--json'];
  const { stdout, stderr } = await runInProcess(args, env);
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout) as Cleaned;
}
