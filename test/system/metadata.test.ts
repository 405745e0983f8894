// Metadata in delivered pictures by the rows of a table: a changed row rewrites its own files, without a render or a
// download.
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readWithExifTool } from '../pictures/_exiftool.ts';
import { change, filesIn, nothing, useChangedPipeline } from './_changed-pipeline.ts';
import { names, writeModels } from './_models.ts';
import { createPipelineFolder, requestsBesideTemplates, useProduct } from './_runs.ts';
import { useProcesses } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);
const { runToEnd, planned, createdDuring } = useChangedPipeline(product);

const images = 'original: true, images: [{ format: JPEG }, { format: WEBP }]';
const metadata =
  'metadata: { title: "{{ row.name }}", altText: "{{ row.name }}, from the front", sku: "{{ row.sku }}", creator: Acme GmbH }';

test('a changed row causes only its own files to be rewritten, and nothing is rendered or downloaded', async () => {
  const place = await createPipelineFolder('metadata');
  const [one = '', two = ''] = names('metadata', 2);
  await writeModels(place.folder, [one, two]);
  const writeTable = (first: string) =>
    writeFile(
      join(place.folder, 'products.csv'),
      `Style,SKU,Name\n${one},CH-1,${first}\n${two},CH-2,Sofa “Nørd”\n`,
    );
  await writeTable('Chair');
  await change(place, (text) =>
    text
      .replace(
        'nodes:\n',
        'data: { products: { connector: models, path: products.csv, key: Style } }\nnodes:\n',
      )
      .replace(
        'config: { connector: pictures,',
        `config: { ${images}, ${metadata}, connector: pictures,`,
      ),
  );
  await runToEnd(place);
  const files = await filesIn(place.out);
  expect(files).toEqual(
    [one, two].flatMap((key) => ['jpg', 'png', 'webp'].map((ext) => `${key}.${ext}`)),
  );
  const read = async () => {
    const paths = files.map((file) => join(place.out, file));
    const tags = readWithExifTool(...paths);
    return Promise.all(
      paths.map(async (path, index) => ({
        title: tags[index]?.['XMP-dc:Title'],
        altText: tags[index]?.['XMP-iptcCore:AltTextAccessibility'],
        product: tags[index]?.['XMP-iptcExt:ProductInImage'],
        problems: tags[index]?.problems,
        writtenMs: (await stat(path)).mtimeMs,
      })),
    );
  };
  const of = (name: string, sku: string) => ({
    title: name,
    altText: `${name}, from the front`,
    product: [{ ProductId: sku }],
    problems: [],
  });
  const first = await read();
  const other = of('Sofa “Nørd”', 'CH-2');
  expect(first).toMatchObject([...Array(3).fill(of('Chair', 'CH-1')), ...Array(3).fill(other)]);
  expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 2 });

  await writeTable('Armchair');
  expect((await planned(place)).startPoints).toEqual([{ startStage: 'delivery', assets: 1 }]);
  const { result, booked } = await createdDuring(() => runToEnd(place));
  expect(booked).toEqual(nothing);
  expect(requestsBesideTemplates(result)).toEqual({});
  const second = await read();
  expect(second).toMatchObject([...Array(3).fill(of('Armchair', 'CH-1')), ...first.slice(3)]);
  expect(await filesIn(place.out)).toEqual(files);
  expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 2 });
});
