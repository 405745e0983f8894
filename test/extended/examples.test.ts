// The shipped example pipelines, run on a real Temporal server and the sandbox. Each row is a run, with the renders
// that it pays for and the files that it leaves.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModel } from '../../packages/sandbox/src/demo/generated-files.ts';
import { listen } from '../../src/settings/http-server.ts';
import { filesIn } from '../system/_changed-pipeline.ts';
import { runInProcess } from '../system/_in-process.ts';
import { errorOf, type RunReport, reportOf, useProduct } from '../system/_runs.ts';
import { type CommandResult, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const messages: string[] = [];
const slack = createServer((request, response) => {
  request.on('data', (body: Buffer) => {
    messages.push((JSON.parse(body.toString()) as { text: string }).text);
  });
  request.on('end', () => response.end('ok'));
});
const slackPort = await listen(slack, { host: '127.0.0.1', port: 0 });
afterAll(() => slack.close());

const temporal = useTemporal();
useProcesses();
// Pictures are small, but drawn, so that white parts can be checked.
const product = useProduct(
  {
    get env() {
      const url = `http://127.0.0.1:${slackPort}/`;
      return {
        ...temporal.env,
        RENDERLINE_SECRET_SLACK: url,
        RENDERLINE_ALLOW_HOSTS: `127.0.0.1:${slackPort}`,
      };
    },
  },
  ['--speed', '100', '--picture-scale', '0.1'],
);

/** Folders of one example: `models`, `out`, and the file in a folder of its own. */
interface Place {
  models: string;
  out: string;
  file: string;
}

interface Run {
  what: string;
  /** Called before the run. */
  change?: (place: Place) => Promise<void>;
  /** Further values of parameters. */
  given?: Readonly<Record<string, string>>;
  /** Number of assets that wait for approval and are then approved. */
  waits?: number;
  /** Number of renders that the run pays for. */
  renders: number;
  /** All files below `out` afterwards. */
  files: string[];
  check?: (place: Place, report: RunReport) => Promise<void>;
}

async function models({ models: folder }: Place, slotsOf: Record<string, string[]>): Promise<void> {
  for (const [key, slots] of Object.entries(slotsOf)) {
    const path = join(folder, `${key}.glb`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, await createModel(key, slots));
  }
}

/** As Excel saves it: with a byte order mark, semicolons and CRLF. */
const excel = (lines: string) => `\uFEFF${lines.trim().replaceAll(/\n\s*/g, '\r\n')}\r\n`;

/** Another client uploads a model, which is ready when this resolves. */
async function upload(name: string, category: string): Promise<void> {
  const { sandbox } = product;
  const { models: made } = (await sandbox.api('POST', '/models', {
    models: [{ name, fileType: 'glb', category }],
  })) as { models: { modelId: string; uploadUrl: string }[] };
  const [{ modelId, uploadUrl } = { modelId: '', uploadUrl: '' }] = made;
  const body = new Uint8Array(await createModel(name, ['seat']));
  expect((await fetch(uploadUrl, { method: 'PUT', body })).status).toBe(200);
  await sandbox.api('POST', `/models/${modelId}/confirm`, { fileType: 'glb' });
  await waitUntil(`${name} is ready`, async () => {
    const answer = await sandbox.api('POST', '/models/status', { modelIds: [modelId] });
    return (answer as { allReady: boolean }).allReady;
  });
}

/** Fails unless all edges of the picture are white. */
async function expectWhiteEdges(path: string): Promise<void> {
  const raw = sharp(path, { ignoreIcc: true }).raw();
  const { data, info } = await raw.toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const last = (height - 1) * width;
  const edges = [
    ...Array.from({ length: width }, (_, x) => [x, last + x]),
    ...Array.from({ length: height }, (_, y) => [y * width, y * width + width - 1]),
  ].flat();
  const isWhite = (at: number) =>
    data.subarray(at * channels, (at + 1) * channels).every((level) => level === 255);
  expect(edges.filter((at) => !isWhite(at))).toEqual([]);
}

const rowsOf = async ({ out }: Place, file: string): Promise<Record<string, string>[]> =>
  parse(await readFile(join(out, file)), { columns: true });

const shoes = (sku: string) =>
  excel(`SKU;Style;Colour name;slot;material
    ${sku};runner;Black/White;upper;Black mesh
    ${sku};runner;Black/White;sole;White rubber
    RN-002;runner;Red/White;upper;Red mesh
    RN-002;runner;Red/White;sole;White rubber
    BT-001;boot;Black/White;upper;Black mesh`);
const views = ['side', 'front', 'top'];
const shoeFiles = (...skus: string[]) => [
  ...['boot', 'runner'].flatMap((style) => [`ar/${style}.glb`, `ar/${style}.usdz`]),
  ...skus.flatMap((sku) => views.map((view) => `${sku}_${view}_01.jpg`)),
  'changes.csv',
  'manifest.csv',
];

const shoeBrand: Run[] = [
  {
    what: 'pictures of each style in its colours, white and square, AR models and a manifest',
    change: async (place) => {
      await models(place, { runner: ['upper', 'upper', 'upper', 'sole'], boot: ['upper'] });
      await writeFile(join(place.models, 'shoes.csv'), shoes('RN-001'));
    },
    renders: 9,
    files: shoeFiles('RN-001', 'RN-002', 'BT-001'),
    check: async (place) => {
      for (const view of views) {
        const picture = join(place.out, `RN-001_${view}_01.jpg`);
        expect(await sharp(picture).metadata()).toMatchObject({
          format: 'jpeg',
          width: 2_000,
          height: 2_000,
        });
        await expectWhiteEdges(picture);
      }
      const rows = await rowsOf(place, 'manifest.csv');
      expect(rows).toHaveLength(9);
      for (const { File = '', 'SHA-256': sha256 } of rows) {
        const bytes = await readFile(join(place.out, File));
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
      }
      expect(rows.find(({ File }) => File === 'RN-001_side_01.jpg')).toMatchObject({
        SKU: 'RN-001',
        View: 'side',
        Alt: 'runner in Black/White, side view',
      });
      expect(await swappedSlots('runner')).toEqual([4, 4]);
    },
  },
  {
    what: 'another SKU renames its files, and says so to the PIM',
    change: (place) => writeFile(join(place.models, 'shoes.csv'), shoes('RN-009')),
    renders: 0,
    files: shoeFiles('RN-009', 'RN-002', 'BT-001'),
    check: async (place) => {
      const changes = await rowsOf(place, 'changes.csv');
      expect(changes.map(({ change, previousFile, File }) => [change, previousFile, File])).toEqual(
        views
          .toSorted()
          .map((view) => ['renamed', `RN-001_${view}_01.jpg`, `RN-009_${view}_01.jpg`]),
      );
    },
  },
];

/** Number of slots with another material, for each colorway of a model. */
async function swappedSlots(name: string): Promise<number[]> {
  const { sandbox } = product;
  const { models: all } = (await sandbox.api('GET', '/models?limit=100')) as {
    models: { modelId: string; name: string }[];
  };
  const modelId = all.find((one) => one.name === name)?.modelId ?? '';
  const { variants } = (await sandbox.api('GET', `/models/${modelId}/variants`)) as {
    variants: { source: string; materials: object[] }[];
  };
  return variants.flatMap(({ source, materials }) =>
    source === 'colorway' ? [materials.length] : [],
  );
}

const approvals = (draft: string) => `Model,Approved
chairs/draft,${draft}
chairs/oslo,yes
chairs/bergen,yes
sofas/turin,yes
sofas/milan,yes
`;
const furnished = ['chairs/bergen.png', 'chairs/oslo.png', 'sofas/milan.png', 'sofas/turin.png'];

const furniture: Run[] = [
  {
    what: 'the first three of the approved models wait, then the rest follows',
    change: async (place) => {
      const keys = ['chairs/draft', ...furnished.map((file) => file.replace('.png', ''))];
      await models(place, Object.fromEntries(keys.map((key) => [key, ['seat']])));
      await writeFile(join(place.models, 'products.csv'), approvals('no'));
    },
    waits: 3,
    renders: 4,
    files: furnished,
    check: async () => {
      await waitUntil('Slack has the message', () =>
        messages.includes('furniture: is waiting for approval'),
      );
    },
  },
  { what: 'a night without news asks for nothing', renders: 0, files: furnished },
  {
    what: 'what has been approved since',
    change: (place) => writeFile(join(place.models, 'products.csv'), approvals('yes')),
    renders: 1,
    files: [...furnished, 'chairs/draft.png'],
  },
];

const eventChairs: Run[] = [
  {
    what: 'a JPEG for the web and a TIFF for print of each chair, from one render',
    change: async () => {
      await upload('oslo', 'Chairs');
      await upload('turin', 'Sofas');
    },
    renders: 1,
    files: ['print/oslo.tif', 'web/oslo.jpg'],
    check: async ({ out }) => {
      const print = await sharp(join(out, 'print/oslo.tif')).metadata();
      expect(print).toMatchObject({ format: 'tiff', depth: 'ushort', width: 3_840, height: 2_160 });
      const web = await sharp(join(out, 'web/oslo.jpg')).metadata();
      expect(web).toMatchObject({ format: 'jpeg', width: 1_200, height: 675 });
    },
  },
  {
    what: 'a chair that comes later',
    change: () => upload('bergen', 'Chairs'),
    renders: 1,
    files: ['print/bergen.tif', 'print/oslo.tif', 'web/bergen.jpg', 'web/oslo.jpg'],
  },
];

const reDelivery: Run[] = [
  {
    what: 'pictures under their keys',
    change: (place) => models(place, { lamp: ['shade'], sofa: ['seat'] }),
    renders: 2,
    files: ['lamp.png', 'sofa.png'],
  },
  {
    what: 'other names and one place more cost no render',
    given: { naming: '{{ name | upper }}_{{ index | pad(2) }}.{{ ext }}', toMarketplace: 'true' },
    renders: 0,
    files: ['LAMP_01.png', 'SOFA_01.png'],
    check: async ({ out, file }, report) => {
      const marketplace = join(dirname(file), '../marketplace');
      expect(await filesIn(marketplace)).toEqual(['LAMP_01.png', 'SOFA_01.png']);
      expect(await readFile(join(marketplace, 'LAMP_01.png'))).toEqual(
        await readFile(join(out, 'LAMP_01.png')),
      );
      expect(report.requests.total).toBe(0);
    },
  },
];

const seasonTable = (place: Place, rows: string) =>
  writeFile(
    join(dirname(place.file), 'colorways.csv'),
    `model,colorway,slot,material\n${rows.trim().replaceAll(/\n\s*/g, '\n')}\n`,
  );
const secondSeason = `chair,Natural,frame,Oak
  chair,Natural,seat,Linen
  chair,Dark,seat,Moss
  stool,Natural,legs,Oak`;

const season: Run[] = [
  {
    what: 'each model in its colorways',
    change: async (place) => {
      await models(place, { chair: ['frame', 'seat'], stool: ['legs'], table: ['top'] });
      await seasonTable(
        place,
        `chair,Natural,frame,Oak
        chair,Natural,seat,Linen
        chair,Dark,seat,Navy
        stool,Natural,legs,Oak
        table,Natural,top,Oak`,
      );
    },
    renders: 4,
    files: ['chair/Dark/chair.png', 'chair/Natural/chair.png', 'stool/Natural/stool.png'].concat(
      'table/Natural/table.png',
    ),
  },
  {
    what: 'a withdrawn model leaves the delivery, and another material is rendered again',
    change: async (place) => {
      await rm(join(place.models, 'table.glb'));
      await seasonTable(place, secondSeason);
    },
    renders: 1,
    files: ['archive/table/Natural/table.png', 'chair/Dark/chair.png'].concat(
      'chair/Natural/chair.png',
      'stool/Natural/stool.png',
    ),
  },
  {
    what: 'two models are updated',
    change: (place) => models(place, { chair: ['frame', 'seat', 'feet'], stool: ['legs', 'seat'] }),
    renders: 3,
    files: ['archive/table/Natural/table.png', 'chair/Dark/chair.png'].concat(
      'chair/Natural/chair.png',
      'stool/Natural/stool.png',
    ),
  },
];

beforeAll(async () => {
  const { sandbox } = product;
  const materials = ['Black mesh', 'Red mesh', 'White rubber', 'Oak', 'Linen', 'Navy', 'Moss'];
  for (const [at, name] of materials.entries()) {
    const body = { name, pantoneCode: `${at + 100} C`, hex: `#${at + 2}0503c` };
    await sandbox.api('POST', '/materials/pantone', body);
  }
  for (const [name, yawDegrees] of [
    ['Shoe Side', 90],
    ['Shoe Front', 0],
    ['Shoe Top', 45],
  ]) {
    const bookmarks = [{ id: String(name), name: String(name), yawDegrees }];
    await sandbox.set('templates', { name, look: 'Cut Out', bookmarks });
  }
});

const examples: [pipeline: string, runs: Run[]][] = [
  ['shoe-brand', shoeBrand],
  ['furniture', furniture],
  ['event-chairs', eventChairs],
  ['re-delivery', reDelivery],
  ['season', season],
];

test.each(examples)(
  'each run of pipelines/%s.yaml creates the expected renders and files',
  { timeout: 300_000 },
  async (pipeline, runs) => {
    const root = await tempFolder(pipeline);
    const file = join(root, 'pipelines', `${pipeline}.yaml`);
    const place = { models: join(root, 'models'), out: join(root, 'out'), file };
    for (const folder of [place.models, place.out, dirname(file)]) await mkdir(folder);
    const shipped = new URL(`../../pipelines/${basename(file)}`, import.meta.url);
    await copyFile(fileURLToPath(shipped), file);
    const hasFolder = (await readFile(file, 'utf8')).includes('params.folder');
    for (const { what, change, given, waits, renders, files, check } of runs) {
      await change?.(place);
      const values = { ...(hasFolder ? { folder: place.models } : {}), out: place.out, ...given };
      const params = Object.entries(values).flatMap(([name, value]) => [
        '--param',
        `${name}=${value}`,
      ]);
      const run = ['run', file, ...params, '--wait', '--json'];
      const ended = await runInProcess(run, product.env);
      const report = waits === undefined ? reportOf(ended) : await approved(ended, waits);
      expect([what, report.paid.renders]).toEqual([what, renders]);
      expect([what, await filesIn(place.out)]).toEqual([what, files.toSorted()]);
      await check?.(place, report);
    }
  },
);

/** How a run ends that waits for approval after this number of assets. */
async function approved(waiting: CommandResult, assets: number): Promise<RunReport> {
  const { env } = product;
  const { code, run = '' } = errorOf(waiting, 7);
  expect(code).toBe('CANARY_WAITING');
  const first = reportOf(await runInProcess(['show', run, '--json'], env));
  expect([first.assets.complete, first.paid.renders]).toEqual([assets, assets]);
  const asked = await runInProcess(['approve', run, '--yes'], env);
  expect(asked.code, asked.stderr).toBe(0);
  return reportOf(await runInProcess(['show', run, '--wait', '--json'], env));
}
