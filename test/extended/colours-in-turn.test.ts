// One pipeline in one colour after the other, over the same files and records: the results of a colour are used again
// when it returns, and `clean` does not offer them in between.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { runInProcess } from '../system/_in-process.ts';
import { inLane, type Lane } from '../system/_lane.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  type RunReport,
  reportOf,
} from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const paints = { 'Linen Sand': '#e8e0d0', 'Navy Blue': '#13294b' };
const keys = ['armchair', 'sofa'];
const creating = ['createJob', 'createColorwayBatch', 'createProjects', 'createRenders'];

async function placeOf(name: string): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  for (const key of keys) {
    await writeFile(join(place.folder, `${key}.glb`), triangleGlb(['Bare'], key));
  }
  await writeFile(
    place.file,
    `name: ${name}
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
  material: { type: string, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models, stableFor: 500ms } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - id: colour
    type: variant
    parentIds: [ready]
    config: { swapRules: [{ matchText: body, matchMode: contains, material: "\${{ params.material }}" }] }
  - { id: look, type: template_match, parentIds: [colour], config: { default: Studio White } }
  - id: shots
    type: render
    parentIds: [look]
    config: { settings: { renderShots: false, imageCustomResolution: true, imageCustomWidth: 64, imageCustomHeight: 36 } }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures, naming: "{{ key }}.{{ ext }}" } }
`,
  );
  return place;
}

function given({ file, folder, out }: PipelineFolder, material: string): string[] {
  const values = { folder, out, material };
  return [
    file,
    ...Object.entries(values).flatMap(([name, value]) => ['--param', `${name}=${value}`]),
  ];
}

async function runIn(place: PipelineFolder, material: string, { env }: Lane): Promise<RunReport> {
  const args = ['run', ...given(place, material), '--wait', '--json'];
  const report = reportOf(await runInProcess(args, env));
  expect(report).toMatchObject({ outcome: 'complete', assets: { complete: keys.length } });
  return report;
}

async function orphansOf(
  place: PipelineFolder,
  material: string,
  { env }: Lane,
): Promise<unknown[]> {
  const args = ['clean', ...given(place, material), '--older-than', '0s', '--dry-run', '--json'];
  const { stdout, stderr } = await runInProcess(args, env);
  expect(stdout, stderr).not.toBe('');
  return (JSON.parse(stdout) as { orphans: unknown[] }).orphans;
}

/** Names of the variants that colorways have made of a model. */
async function coloursOf(name: string, lane: Lane): Promise<string[]> {
  const path = `/models/${await lane.modelNamed(name)}/variants`;
  const { variants } = (await lane.sandbox.api('GET', path)) as {
    variants: { name: string; source: string }[];
  };
  const made = variants.filter(({ source }) => source === 'colorway');
  return made.map((one) => one.name).toSorted();
}

async function pictures({ out }: PipelineFolder): Promise<string[]> {
  const files = (await readdir(out)).filter((name) => name.endsWith('.png')).toSorted();
  return Promise.all(files.map(async (name) => (await readFile(join(out, name))).toString('hex')));
}

const sentBy = ({ requests }: RunReport) =>
  creating.filter((operation) => operation in requests.byOperation);

inLane(
  'a pipeline in one colour after the other',
  temporal,
  (lane) => {
    beforeAll(async () => {
      for (const [index, [name, hex]] of Object.entries(paints).entries()) {
        const pantoneCode = `${index + 100} C`;
        await lane.sandbox.api('POST', '/materials/pantone', { name, pantoneCode, hex });
      }
    });

    test('a colour that returns is paid for only once, and clean offers no resources of any colour', async () => {
      const place = await placeOf('turns');
      expect(sentBy(await runIn(place, 'Linen Sand', lane))).toEqual(creating);
      const linen = await pictures(place);
      const navy = ['createColorwayBatch', 'createProjects', 'createRenders'];
      expect(sentBy(await runIn(place, 'Navy Blue', lane))).toEqual(navy);
      expect(await orphansOf(place, 'Navy Blue', lane)).toEqual([]);
      expect(await pictures(place)).not.toEqual(linen);

      expect(sentBy(await runIn(place, 'Linen Sand', lane))).toEqual([]);
      expect(await pictures(place)).toEqual(linen);
      for (const key of keys) expect(await coloursOf(key, lane)).toEqual(Object.keys(paints));
      expect(await orphansOf(place, 'Linen Sand', lane)).toEqual([]);
      expect(await orphansOf(place, 'Navy Blue', lane)).toEqual([]);

      // Resources that the file no longer creates in any colour are offered, whatever the colour of the clean command.
      // Projects are used again if only their renders differ.
      const text = await readFile(place.file, 'utf8');
      await writeFile(place.file, text.replace('imageCustomWidth: 64', 'imageCustomWidth: 80'));
      // The variant is found by its materials: another recipe, the same colour.
      const wider = await runIn(place, 'Linen Sand', lane);
      expect(sentBy(wider)).toEqual(['createRenders']);
      expect(await orphansOf(place, 'Linen Sand', lane)).toEqual([]);

      const wide = await readFile(place.file, 'utf8');
      await writeFile(place.file, wide.replace('Studio White', 'Hero Dark'));
      const staged = await runIn(place, 'Linen Sand', lane);
      expect(sentBy(staged)).toEqual(['createProjects', 'createRenders']);
      for (const key of keys) expect(await coloursOf(key, lane)).toEqual(Object.keys(paints));
      const left = await orphansOf(place, 'Linen Sand', lane);
      expect(left).toHaveLength(2 * keys.length);
      expect(left).toContainEqual(expect.objectContaining({ kind: 'project', reason: 'replaced' }));
    });
  },
  ['--speed', '20', '--picture-scale', '0.1'],
);
