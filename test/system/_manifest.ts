// A pipeline whose export writes a manifest, and readers of the manifest.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { unzipSync } from 'fflate';
import { expect } from 'vitest';
import { change, filesIn } from './_changed-pipeline.ts';
import { names, writeModels } from './_models.ts';
import { createPipelineFolder, type PipelineFolder } from './_runs.ts';

type Row = Record<'SKU' | 'File' | 'SHA-256' | 'Width' | 'Alt' | 'change' | 'previousFile', string>;
type Lines = Record<string, { sku: string; title: string }>;

export async function writeTable({ folder }: PipelineFolder, lines: Lines): Promise<void> {
  const rows = Object.entries(lines).map(([key, { sku, title }]) => [key, sku, title].join(','));
  await writeFile(join(folder, 'products.csv'), `${['Style,SKU,Title', ...rows].join('\n')}\n`);
}

const manifest = [
  'path: manifest.csv, changes: changes.csv, zip: [{ path: all.zip }, { path: new.zip, files: changed }]',
  'columns: { SKU: "{{ row.sku }}", File: "{{ file }}", SHA-256: "{{ sha256 }}", Width: "{{ width }}", Alt: "{{ row.title }} from the {{ index }}st side" }',
].join(', ');

/** A pipeline of three products whose files are named by their SKUs. */
export async function pipelineWithManifest(name: string) {
  const place = await createPipelineFolder(name);
  const keys = names(name, 3);
  await writeModels(place.folder, keys);
  const lines = Object.fromEntries(
    keys.map((key, at) => [key, { sku: `S-${at}`, title: `Chair ${at}` }]),
  );
  await writeTable(place, lines);
  await change(place, (text) =>
    text
      .replace(
        'nodes:\n',
        'data: { products: { connector: models, path: products.csv, key: Style, withoutRow: empty } }\nlimits: { withdrawn: 5 }\nnodes:\n',
      )
      .replace(
        '"{{ key }}.{{ ext }}" }',
        `"{{ row.sku }}.{{ ext }}", withdrawn: delete, manifest: { ${manifest} } }`,
      ),
  );
  return { place, keys, lines };
}

async function read({ out }: PipelineFolder, file: string): Promise<Row[]> {
  return parse(await readFile(join(out, file)), { columns: true });
}

/** Fails unless manifest and zip contain exactly the delivered files, with their hashes. */
export async function expectListed(place: PipelineFolder): Promise<Row[]> {
  const rows = await read(place, 'manifest.csv');
  const own = ['all.zip', 'changes.csv', 'manifest.csv', 'new.zip'];
  const packed = await zipped(place, 'all.zip');
  const there = (await filesIn(place.out)).filter((file) => !own.includes(file));
  expect(rows.map(({ File }) => File).sort()).toEqual(there);
  for (const row of rows) {
    const bytes = await readFile(join(place.out, row.File));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(row['SHA-256']);
    expect(bytes.equals(packed[row.File] ?? Buffer.alloc(0))).toBe(true);
  }
  expect(Object.keys(packed).sort()).toEqual(there);
  return rows;
}

/** The files of a zip by their path. */
export async function zipped({ out }: PipelineFolder, file: string) {
  return unzipSync(await readFile(join(out, file)));
}

export const changesOf = async (place: PipelineFolder) =>
  (await read(place, 'changes.csv'))
    .map(({ change: what, File, previousFile }) => `${what} ${File} ${previousFile}`.trim())
    .sort();

/** True once a run has begun to write its manifest. */
export async function isBegun({ out }: PipelineFolder): Promise<boolean> {
  const folder = join(out, '.renderline', 'pictures', 'manifests');
  return (await readdir(folder).catch(() => [])).some((name) => name.endsWith('.begun.json'));
}
