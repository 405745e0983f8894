// One `render` node with several views: each is rendered, paid and delivered once, even if views are added or changed.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { inLane, type Lane } from './_lane.ts';
import { createPipelineFolder, type PipelineFolder, type RunReport, runToEnd } from './_runs.ts';
import type { SandboxInUse } from './_sandbox.ts';
import { useProcesses } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();

const models = ['chair', 'stool'];

const sized = (width: number) =>
  `settings: { imageCustomResolution: true, imageCustomWidth: ${width}, imageCustomHeight: 36 }`;
const front = `{ name: front, template: Studio White, ${sized(64)} }`;
const hero = `{ name: hero, template: Hero Dark, ${sized(128)} }`;
const detail = `{ name: detail, template: Hero Dark, ${sized(96)} }`;

const colours = `
  - id: colour
    type: variant
    parentIds: [ready]
    config:
      colorways:
        - { name: Oak, swapRules: [{ matchText: body, matchMode: exact, material: Oak }] }
        - { name: Navy, swapRules: [{ matchText: body, matchMode: exact, material: Navy }] }`;

async function writePipeline(place: PipelineFolder, views: readonly string[], hasColours: boolean) {
  await writeFile(
    place.file,
    `name: ${hasColours ? 'coloured' : 'plain'}-views
maxRetries: 1
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 500ms } }
  - { id: ready, type: model_ready, parentIds: [take] }${hasColours ? colours : ''}
  - id: shots
    type: render
    parentIds: [${hasColours ? 'colour' : 'ready'}]
    config:
      settings: { renderShots: false }
      views: [${views.join(', ')}]
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}/{{ name }}-{{ view }}.{{ ext }}" }
`,
  );
}

async function placeOf(
  name: string,
  views: readonly string[],
  hasColours: boolean,
  keys: readonly string[] = models,
) {
  const place = await createPipelineFolder(name);
  for (const key of keys) await writeFile(join(place.folder, `${key}.glb`), triangleGlb([], key));
  await writePipeline(place, views, hasColours);
  return place;
}

const keysOf = ({ files }: RunReport) => [...new Set(files.map(({ key }) => key))].toSorted();

async function delivered({ out }: PipelineFolder): Promise<string[]> {
  const paths = await readdir(out, { recursive: true });
  return paths.filter((path) => path.endsWith('.png')).toSorted();
}

async function madeBy<T>(sandbox: SandboxInUse, work: () => Promise<T>) {
  const before = (await sandbox.stats()).created;
  const result = await work();
  const after = (await sandbox.stats()).created;
  const made = (['models', 'projects', 'renderJobs'] as const).map((name) => [
    name,
    after[name] - before[name],
  ]);
  return { result, made: Object.fromEntries(made) };
}

/** Names of the colours of the variants that each production file of a model shows. */
async function coloursOfSheets(lane: Lane, model: string): Promise<string[]> {
  const id = await lane.modelNamed(model);
  const { productionFiles } = (await lane.sandbox.api('GET', `/models/${id}/production-files`)) as {
    productionFiles: { variantNames: string[] }[];
  };
  const colourOf = (name: string) => /Navy|Oak/.exec(name)?.[0] ?? name;
  return productionFiles.map(({ variantNames }) => variantNames.map(colourOf).join()).toSorted();
}

inLane(
  'views of a render node',
  temporal,
  (lane) => {
    beforeAll(async () => {
      for (const [index, name] of ['Oak', 'Navy'].entries()) {
        const pantoneCode = `${index + 100} C`;
        await lane.sandbox.api('POST', '/materials/pantone', { name, pantoneCode, hex: '#b08050' });
      }
    });

    const cells = (...views: string[]) =>
      models.flatMap((model) =>
        ['Navy', 'Oak'].flatMap((colour) => views.map((view) => `${model}@${colour}@${view}`)),
      );

    test('with views of each colorway, only an added or changed view is rendered, with the existing variants', async () => {
      const place = await placeOf('coloured', [front, hero], true);
      const first = await madeBy(lane.sandbox, () => runToEnd(place, lane.env));
      expect(first.result).toMatchObject({ outcome: 'complete', assets: { complete: 8 } });
      expect(first.made).toEqual({ models: 2, projects: 8, renderJobs: 8 });
      expect(first.result.requests.byOperation).toMatchObject({
        createJob: 1,
        createColorwayBatch: 2,
        createProjects: 4,
        createRenders: 4,
      });
      expect(keysOf(first.result)).toEqual(cells('front', 'hero'));
      expect(await delivered(place)).toEqual(
        models.flatMap((model) =>
          ['Navy', 'Oak'].flatMap((colour) =>
            ['front', 'hero'].map((view) => `${model}/${colour}/${view}/${model}-${view}.png`),
          ),
        ),
      );
      expect(
        new Set(first.result.files.map(({ key, width }) => [key.split('@')[2], width].join(' '))),
      ).toEqual(new Set(['front 64', 'hero 128']));

      await writePipeline(place, [front, hero, detail], true);
      const third = await madeBy(lane.sandbox, () => runToEnd(place, lane.env));
      expect(keysOf(third.result)).toEqual(cells('detail'));
      expect(third.made).toEqual({ models: 0, projects: 4, renderJobs: 4 });
      expect(third.result.requests.byOperation).not.toHaveProperty('createColorwayBatch');

      await writePipeline(place, [front, hero.replace('128', '112'), detail], true);
      const changed = await madeBy(lane.sandbox, () => runToEnd(place, lane.env));
      expect(keysOf(changed.result)).toEqual(cells('hero'));
      expect(changed.made).toEqual({ models: 0, projects: 4, renderJobs: 4 });
      expect(changed.result.requests.byOperation).not.toHaveProperty('createColorwayBatch');
      expect(new Set(changed.result.files.map(({ width }) => width))).toEqual(new Set([112]));

      expect((await runToEnd(place, lane.env)).requests.total).toBe(0);
    });

    test('production files need no views, since each file shows one colorway', async () => {
      const lamps = ['lamp', 'lantern'];
      const place = await placeOf('sheets', [front], true, lamps);
      const text = await readFile(place.file, 'utf8');
      const [head = ''] = text.split('  - id: shots');
      await writeFile(
        place.file,
        `${head.replace('name: coloured-views', 'name: sheets')}  - id: deliver
    type: export
    parentIds: [colour]
    config: { connector: pictures, what: [production_files], naming: "{{ key }}/{{ name }}.{{ ext }}" }
`,
      );
      const run = await runToEnd(place, lane.env);
      expect(run).toMatchObject({ outcome: 'complete', assets: { complete: 4 } });
      expect(run.files.map(({ path }) => path).toSorted()).toEqual(
        lamps.flatMap((model) => ['Navy', 'Oak'].map((one) => `${model}/${one}/${model}.pdf`)),
      );
      expect(run.requests.byOperation).toMatchObject({ exportProductionFile: 4 });
      const shown = await Promise.all(lamps.map((model) => coloursOfSheets(lane, model)));
      expect(shown).toEqual(lamps.map(() => ['Navy', 'Oak']));
    });

    test('views of models without colorways are rendered from one project for each view', async () => {
      const place = await placeOf('plain', [front, hero], false);
      const { result, made } = await madeBy(lane.sandbox, () => runToEnd(place, lane.env));
      expect(result).toMatchObject({ outcome: 'complete', assets: { complete: 4 } });
      expect(made).toEqual({ models: 2, projects: 4, renderJobs: 4 });
      expect(keysOf(result)).toEqual(
        models.flatMap((model) => [`${model}@front`, `${model}@hero`]),
      );
    });
  },
  ['--speed', '20', '--picture-scale', '1'],
);
