// Models of a colorway grid: one file per model and format, whatever happens to the colorways.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { createGridFolder, paint, rowsOf, writeTable } from '../system/_colorway-grid.ts';
import { runInProcess } from '../system/_in-process.ts';
import { inLane } from '../system/_lane.ts';
import { type PipelineFolder, type RunReport, runArguments, runToEnd } from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { requestsOf } from './_platform-requests.ts';

const temporal = useTemporal();
useProcesses();

const models = ['chair', 'stool'];
const exportOf = (parent: string) =>
  `  - { id: ar, type: export, parentIds: [${parent}], config: { connector: pictures, what: [models], formats: [glb, usdz], naming: "ar/{{ key }}.{{ ext }}" } }\nschedule:`;

async function change({ file }: PipelineFolder, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  expect(text).toContain(from);
  await writeFile(file, text.replace(from, to));
}

const arFiles = async ({ out }: PipelineFolder, folder = 'ar') =>
  (await readdir(join(out, folder))).sort();
const all = models.flatMap((model) => [`${model}.glb`, `${model}.usdz`]).sort();
const arOf = ({ files }: RunReport) =>
  files.flatMap(({ path }) => (/\.(?:glb|usdz)$/.test(path) ? [path] : []));

inLane('models of a grid', temporal, (lane) => {
  beforeAll(() => paint(lane.sandbox));

  test.each(['ready', 'shots'])(
    'models after the node %s are exported once per model',
    async (parent) => {
      const place = await createGridFolder(`models-${parent}`, models);
      await change(place, 'schedule:', exportOf(parent));
      await writeTable(place, rowsOf(models, ['Oak', 'Walnut', 'Navy']));
      const [, ...given] = runArguments(place);
      const plan = await runInProcess(['plan', ...given, '--json'], lane.env);
      expect(JSON.parse(plan.stdout)).toMatchObject({
        modelFiles: 4,
        requests: { byOperation: { downloadModel: 4 } },
      });
      const run = () => requestsOf(lane.sandbox, () => runToEnd(place, lane.env));
      const first = await run();
      expect(first.result.assets).toMatchObject({ complete: 6, failed: 0 });
      expect(first.requests['downloadModel']).toBe(4);
      expect(await arFiles(place)).toEqual(all);
      expect(arOf(first.result)).toHaveLength(4);

      // Another colour adds one picture per model.
      await writeTable(place, rowsOf(models, ['Oak', 'Walnut', 'Navy', 'Moss']));
      const more = await run();
      expect(more.result.assets).toMatchObject({ complete: 2, failed: 0 });
      expect(more.requests['downloadModel']).toBeUndefined();
      expect(arOf(more.result)).toEqual([]);

      await change(place, 'ar/{{ key }}', 'shop/{{ key }}');
      const named = await run();
      expect(named.result.assets).toMatchObject({ complete: 8, failed: 0 });
      expect(named.requests['downloadModel']).toBeUndefined();
      expect(await arFiles(place, 'shop')).toEqual(all);
      expect(await arFiles(place)).toEqual([]);
      expect(arOf(named.result)).toHaveLength(4);
      expect((await run()).requests).toEqual({});
    },
  );

  test('exported models are deleted with the last colorway', async () => {
    const place = await createGridFolder('models-withdrawn', models);
    await change(place, 'schedule:', exportOf('shots'));
    await change(place, 'what: [models],', 'what: [models], withdrawn: delete,');
    await writeTable(place, rowsOf(models, ['Oak', 'Walnut', 'Navy']));
    await runToEnd(place, lane.env);
    const [, ...given] = runArguments(place);
    const withdraws = async () => {
      const { stdout } = await runInProcess(['plan', ...given, '--json'], lane.env);
      return (JSON.parse(stdout) as { withdraws: unknown }).withdraws;
    };

    await writeTable(place, rowsOf(models, ['Walnut', 'Navy']));
    expect(await withdraws()).toMatchObject({ assets: 2, deleted: 0, files: [], warnings: [] });
    const first = await runToEnd(place, lane.env);
    expect(first).toMatchObject({ withdrawn: { assets: 2, deleted: 0 }, warnings: [] });
    expect(await arFiles(place)).toEqual(all);
    expect(await withdraws()).toMatchObject({ assets: 0 });

    await writeTable(place, rowsOf(['stool'], ['Walnut', 'Navy']));
    expect(await withdraws()).toMatchObject({ assets: 2, deleted: 2, warnings: [] });
    const last = await runToEnd(place, lane.env);
    expect(last).toMatchObject({ withdrawn: { assets: 2, deleted: 2 }, warnings: [] });
    expect(await arFiles(place)).toEqual(['stool.glb', 'stool.usdz']);
  });
});
