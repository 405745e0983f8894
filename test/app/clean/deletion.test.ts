// Cleaning against a sandbox: the preview, deleted resources, and kept resources.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../packages/sandbox/src/server/server.ts';
import { App } from '../../../src/app/app.ts';
import { cleanPipeline } from '../../../src/app/clean/clean.ts';
import {
  type CleanOptions,
  type CleanShape,
  previewClean,
} from '../../../src/app/clean/preview-clean.ts';
import { formatPreview, formatQuestion } from '../../../src/cli/clean/format.ts';
import type { Paint } from '../../../src/cli/color.ts';
import { Interrupts } from '../../../src/cli/interrupts.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import type { CellSource } from '../../../src/plan/grid.ts';
import type { PlatformIds } from '../../../src/plan/platform-ids.ts';
import { writeMarkIfAbsent } from '../../../src/store/claims/workspace-mark.ts';
import type { RunStore } from '../../../src/store/runs/run-store.ts';
import type { TemporalConnection } from '../../../src/temporal/connection/connect.ts';
import { folderWith } from '../../cli/_folder.ts';
import { run } from '../../cli/_run-cli.ts';
import { Workspace } from '../../engine/_workspace.ts';
import { colorway, inCell } from '../../plan/_cells.ts';
import { manifestAsset, recipe, sourceOf, storeOn, withManifest } from '../../store/_store.ts';
import { serverWith } from '../apply/_server.ts';

const shoes = `name: shoes
connectors: { m: { type: local, path: ./kept } }
records: m
nodes: [{ id: take, type: connector_poll, config: { connector: m } }]
`;
let nowMs: number;
let createdAt: string;
/** Entries of the audit log, recorded before each deletion. */
const recorded: object[] = [];
/** A Temporal server without runs, which records the audit log. */
const temporal = { client: serverWith({ schedules: [], triggers: [], recorded }) };

let workspace: Workspace;
let env: Record<string, string>;
let cwd: string;
let store: RunStore;

beforeAll(async () => {
  const sandbox = await startSandbox({ seed: 1, pictureScale: 0, rateLimit: 0, speed: 1000 });
  workspace = new Workspace(sandbox);
  env = { RENDERLINE_BASE_URL: sandbox.url, RENDERLINE_API_KEY: sandbox.apiKey };
});
afterAll(() => workspace.stop());

beforeEach(async () => {
  nowMs = Date.parse('2026-03-03T10:00:00Z');
  createdAt = '2026-03-01T10:00:00.000Z';
  await workspace.set('faults', []);
  cwd = folderWith({ 'shoes.yaml': shoes, 'kept/a.txt': '' });
  store = storeOn(openConnector({ type: 'local', path: join(cwd, 'kept') }), 'shoes-1');
  const counts = { total: 1, new: 1, changed: 0, unchanged: 0 };
  await store.writeLastRun({ parameters: {}, counts });
  await withManifest(store, [manifestAsset('boot')]);
});

/** Models and projects on the platform that the run created, by the name of the model. */
async function made(
  ...names: string[]
): Promise<Record<string, Required<Pick<PlatformIds, 'modelId' | 'projectId'>>>> {
  const ids = await workspace.models(names);
  const platformIds: Awaited<ReturnType<typeof made>> = {};
  for (const [key, modelId] of Object.entries(ids)) {
    const { projects } = await workspace.client.createProjects({ body: { modelIds: [modelId] } });
    const projectId = projects[0]?.projectId ?? '';
    platformIds[key] = { modelId, projectId };
    await keep('createModels', key, { modelId });
    await keep('createProjects', key, { projectId });
  }
  return platformIds;
}

async function keep(operation: string, key: string, platformIds: PlatformIds): Promise<void> {
  const intents = store.intents(0, 'take');
  const name = `${operation} ${key}`;
  await intents.open({ operation, key: name, bodyText: '{}', assets: [key], createdAt });
  await intents.finish(name, { [key]: platformIds });
}

async function deliver(
  key: string,
  platformIds: PlatformIds,
  cell: CellSource = {},
): Promise<void> {
  const source = { ...sourceOf(key), ...cell };
  const record = { key, source, recipe, platformIds, files: [], lineage: 'l' };
  await store.records.write({ ...record, run: 'shoes-1', finishedAt: createdAt });
}

function createApp(onNote?: (text: string) => void): App {
  const app = new App({ env, cwd, now: () => nowMs, onNote });
  // The cast is needed because `clean` uses nothing but the client.
  app.temporal = temporal as TemporalConnection;
  return app;
}

const preview = (more: CleanOptions = {}, app = createApp()) =>
  previewClean(app, 'shoes.yaml', more);

/** Deletes the orphans, as the command does after the confirmation. */
async function clean(more: CleanOptions = {}, interrupts = new Interrupts()) {
  const found = await preview(more);
  return found.isEmpty ? found.shape : remove(found, interrupts);
}

function remove(
  found: Awaited<ReturnType<typeof preview>>,
  interrupts = new Interrupts(),
  isPreviewOld = false,
) {
  const onDeleting = () => interrupts.handleFirst();
  return cleanPipeline(createApp(), found, { isPreviewOld, onDeleting });
}

const modelExists = async (modelId: string) =>
  (await workspace.client.checkModelStatus({ body: { modelIds: [modelId] } })).models.length === 1;

it('pipeline files whose record locations are unknown are listed', async () => {
  const needy = shoes
    .replace('name: shoes', 'name: bags\nparameters: { at: { type: path, required: true } }')
    .replace('./kept', '"${{ params.at }}"');
  await writeFile(join(cwd, 'bags.yaml'), needy);
  await writeFile(join(cwd, 'hats.yaml'), shoes.replace('connector_poll', 'conector_poll'));
  const notes: string[] = [];
  await preview(
    {},
    createApp((text) => notes.push(text)),
  );
  expect(notes.join('\n')).toMatch(
    /^The record locations of these files are unknown .*: bags\.yaml, hats\.yaml$/m,
  );
});

it('resources that are recent by the platform’s clock are kept, although the local clock is 25 hours ahead', async () => {
  createdAt = new Date(Date.now() - 3_600_000).toISOString();
  nowMs = Date.now() + 25 * 3_600_000;
  const { boot } = await made('boot');
  expect(await clean()).toMatchObject({ deleted: [] });
  expect(await modelExists(boot?.modelId ?? '')).toBe(true);
});

it('records of another workspace are refused', async () => {
  const { boot } = await made('boot');
  const records = openConnector({ type: 'local', path: join(cwd, 'kept') });
  await writeMarkIfAbsent(records, { id: 'w-1', name: 'Shoes', proofs: [] });
  await expect(clean()).rejects.toMatchObject({ runCause: { code: 'RECORDS_OF_OTHER_WORKSPACE' } });
  expect(await modelExists(boot?.modelId ?? '')).toBe(true);
});

describe('what clean deletes', () => {
  it('clean deletes first the project and then the model of a changed file, and keeps delivered ones', async () => {
    const { 'boot-old': old, boot } = await made('boot-old', 'boot');
    await deliver('boot', boot ?? {});
    const wanted = [
      { kind: 'project', id: old?.projectId },
      { kind: 'model', id: old?.modelId },
    ];
    recorded.length = 0;
    const { shape } = await preview({ dryRun: true });
    expect(shape).toMatchObject({ dryRun: true, orphans: wanted, deleted: [] });
    expect(recorded).toEqual([]);
    expect(await modelExists(old?.modelId ?? '')).toBe(true);

    const { deleted, requests } = await clean();
    expect(deleted).toEqual(wanted);
    const resources = [`project ${old?.projectId}`, `model ${old?.modelId}`];
    expect(recorded).toMatchObject([
      { what: 'cleaned', details: { deletes: '1 project and 1 model', resources } },
    ]);
    expect(requests).toEqual({
      total: 4,
      byOperation: { checkModelStatus: 1, deleteModel: 1, deleteProject: 1, listProjects: 1 },
      rateLimited: 0,
    });
    expect(await modelExists(old?.modelId ?? '')).toBe(false);
    expect(await modelExists(boot?.modelId ?? '')).toBe(true);
    // A second clean finds none of them on the platform.
    expect(await clean()).toMatchObject({ orphans: [], deleted: [] });
  });

  it('clean deletes items of the library', async () => {
    const { props } = await workspace.client.createProps({
      body: { props: [{ fileName: 'a.glb' }] },
    });
    const { decals } = await workspace.client.createDecals({
      body: { decals: [{ fileName: 'a.png', fileType: 'png' }] },
    });
    const { materialId } = await workspace.client.createMaterial({
      body: { name: 'oak', textures: [{ channel: 'diffuse', fileType: 'png' }] },
    });
    const propId = props[0]?.propId ?? '';
    const decalId = decals[0]?.decalId ?? '';
    await keep('createProps', 'a', { propId });
    await keep('createDecals', 'b', { decalId });
    await keep('createMaterial', 'c', { materialId });
    const { deleted } = await clean();
    expect(deleted).toEqual([
      { kind: 'prop', id: propId },
      { kind: 'decal', id: decalId },
      { kind: 'material', id: materialId },
    ]);
    const gone = workspace.client.getDecal({ params: { decalId } });
    await expect(gone).rejects.toMatchObject({ status: 404 });
  });

  it('clean does not delete anything younger than `--older-than`', async () => {
    await made('boot');
    const recent = await clean({ olderThanMs: 3 * 86_400_000 });
    expect(recent).toMatchObject({
      orphans: [],
      tooRecent: 2,
      olderThan: '3d',
      requests: { total: 0 },
    });
  });
});

describe('what clean keeps', () => {
  it('clean keeps models and projects of other clients, and one of our models if it is in a project of another client', async () => {
    const theirs = await workspace.models(['theirs']);
    const ours = await made('boot');
    const modelId = ours['boot']?.modelId ?? '';
    const modelIds = [theirs['theirs'] ?? '', modelId];
    const { projects } = await workspace.client.createProjects({ body: { modelIds } });
    const { deleted, held } = await clean();
    expect(deleted).toEqual([{ kind: 'project', id: ours['boot']?.projectId }]);
    expect(held).toMatchObject([{ kind: 'model', id: modelId, projectId: projects[0]?.projectId }]);
    expect(await modelExists(modelId)).toBe(true);
    expect(await modelExists(theirs['theirs'] ?? '')).toBe(true);
  });

  it('clean keeps resources that came into use before the confirmation', async () => {
    const { boot } = await made('boot');
    const found = await preview();
    expect(formatQuestion(found)).toBe('Delete 1 project and 1 model?');
    await deliver('boot', { modelId: boot?.modelId ?? '' });
    expect(await remove(found, new Interrupts(), true)).toMatchObject({
      usedSince: [{ kind: 'model', id: boot?.modelId }],
      deleted: [{ kind: 'project', id: boot?.projectId }],
    });
  });
});

describe('an error of clean', () => {
  const rule = (match: string, status: number, code: string) => [{ match, do: { status, code } }];

  it('an error for one resource is listed, and the others are deleted', async () => {
    const { boot } = await made('boot');
    await workspace.set('faults', rule('deleteProject', 403, 'FORBIDDEN'));
    expect(await clean()).toMatchObject({
      deleted: [{ kind: 'model', id: boot?.modelId }],
      refused: [{ kind: 'project', id: boot?.projectId, code: 'FORBIDDEN' }],
    });
  });

  it('an error about the API key stops clean, and reports what was deleted before', async () => {
    const { boot } = await made('boot');
    await workspace.set('faults', rule('deleteModel', 401, 'INVALID_API_KEY'));
    await expect(clean()).rejects.toMatchObject({
      exit: 4,
      code: 'INVALID_API_KEY',
      message: expect.stringContaining('Deleted before that: 1 project; remaining: 1 model.'),
      details: { deleted: [{ id: boot?.projectId }], remaining: [{ id: boot?.modelId }] },
    });
  });

  it('a payment that is due stops clean at the first request', async () => {
    const { boot } = await made('boot');
    await workspace.set('faults', rule('deleteProject', 402, 'PAYMENT_REQUIRED'));
    await expect(clean()).rejects.toMatchObject({
      code: 'PAYMENT_REQUIRED',
      details: { deleted: [], remaining: [{ id: boot?.projectId }, { id: boot?.modelId }] },
    });
  });

  it('an interruption by Ctrl-C reports what was deleted, and the same command continues', async () => {
    const { boot } = await made('boot');
    const { projectId = '', modelId } = boot ?? {};
    await workspace.set('faults', [
      { match: 'deleteModel', do: { delayMs: 60_000, before: true } },
    ]);
    const interrupts = new Interrupts();
    const done = clean({}, interrupts);
    const isGone = () =>
      workspace.client.getProject({ params: { projectId } }).then(
        () => false,
        () => true,
      );
    while (!(await isGone()));
    interrupts.interrupt();
    await expect(done).rejects.toMatchObject({
      exit: 130,
      message: 'Interrupted. Deleted before that: 1 project; remaining: 1 model.',
    });
    await workspace.set('faults', []);
    const { deleted } = await clean();
    expect(deleted).toEqual([{ kind: 'model', id: modelId }]);
  });

  it.each<[string, string[], number, string]>([
    [
      'reports an invalid duration',
      ['clean', 'shoes.yaml', '--older-than', 'soon'],
      2,
      '--older-than 7d',
    ],
    ['reports a missing file', ['clean', 'none.yaml'], 5, 'none.yaml'],
    ['reports a missing Temporal server', ['clean', 'shoes.yaml', '--yes'], 69, 'renderline dev'],
  ])('the error %s', async (_what, argv, code, said) => {
    const world = { cwd, env: { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' } };
    const ran = await run(argv, world);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(said)]);
  });
});

it('the preview shows each orphan with its asset, reason and age, and the cost of the deletion', () => {
  const plain: Paint = (_color, text) => text;
  const orphan = { key: 'boot', run: 'shoes-1', createdAt } as const;
  const many = Array.from({ length: 22 }, (_, index) => ({
    ...orphan,
    kind: 'model' as const,
    id: `m${index}`,
    reason: 'undelivered' as const,
  }));
  const usedBy = [
    { user: 'assets that are delivered', resources: 30 },
    { user: 'run shoes-2, which is still running', resources: 10 },
  ];
  const look: CleanShape = {
    schema: 'renderline/clean/v1',
    pipeline: 'shoes',
    records: '/shop',
    dryRun: true,
    olderThan: '1d',
    tooRecent: 3,
    searched: { runs: 2, calls: 9, created: 40, missing: [], usedBy },
    removed: [],
    orphans: [{ ...orphan, kind: 'project', id: 'p1', reason: 'replaced' }, ...many],
    held: [{ ...orphan, kind: 'model', id: 'm99', reason: 'unused', projectId: 'p9' }],
    usedSince: [],
    deleted: [],
    refused: [],
    requests: { total: 0, byOperation: {}, rateLimited: 0 },
  };
  const text = formatPreview(look, nowMs, plain).split('\n');
  expect([...text.slice(0, 8), '…', ...text.slice(-7)]).toMatchInlineSnapshot(`
    [
      "shoes  23 orphans on the platform: created by its runs, no longer used",
      "",
      "1 project",
      "  p1  boot",
      "    its asset now uses a replacement; created 2 days ago by shoes-1",
      "",
      "22 models",
      "  m0  boot",
      "…",
      "    its asset was never delivered, and no run is processing it; created 2 days ago by shoes-1",
      "  and 2 more; --json lists all",
      "",
      "Deleting takes 23 requests and cannot be undone.",
      "Renders of a project are deleted with it.",
      "Kept: model m99 (boot), which project p9 uses.",
      "Not checked: 3 unused resources created within 1d; --older-than 0s includes them.",
    ]
  `);
  const nothing = formatPreview({ ...look, orphans: [], held: [], tooRecent: 0 }, nowMs, plain);
  expect(nothing).toMatchInlineSnapshot(
    `"shoes  nothing to clean: of 40 resources that 2 runs created, all that exist on the platform are in use: 30 by assets that are delivered; 10 by run shoes-2, which is still running"`,
  );
});

it('the file names of a removed colorway are free once its record is deleted', async () => {
  const grid = `${shoes}  - { id: ready, type: model_ready, parentIds: [take] }
  - id: colours
    type: variant
    parentIds: [ready]
    config:
      colorways: [{ name: Oak, swapRules: [{ matchText: body, matchMode: exact, material: Oak }] }]
`
    .replace('connector: m } }]', 'connector: m } }')
    .replace('nodes: [', 'nodes:\n  - ');
  await writeFile(join(cwd, 'shoes.yaml'), grid);
  const { boot } = await made('boot');
  const key = 'boot@Navy';
  await deliver(key, { projectId: boot?.projectId ?? '' }, inCell({}, 'boot', colorway('Navy')));
  const path = { destination: 'local folder /out', path: 'boot.png' };
  await store.pathOwners.claim([{ ...path, key }]);
  await clean({ olderThanMs: 0, removedColorways: true });
  expect(await store.records.find(key)).toBeNull();
  expect(await store.pathOwners.ownerOf(path)).toBeUndefined();
});
