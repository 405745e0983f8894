// Definitions and values with --data. Acknowledged changes and deletions survive a restart.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProject, finishRender, readyModel, startRender } from '../_flows.ts';
import { define, model, optionId, search, write } from '../_properties.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let data: string;
let running: TestSandbox[];
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'renderline-data-'));
  running = [];
});
afterEach(async () => {
  for (const sandbox of running) await sandbox.sandbox.close();
  rmSync(data, { recursive: true, force: true });
});

/** The second call is like a restart after SIGKILL: the first sandbox is no longer used. */
function start(): TestSandbox {
  const sandbox = new TestSandbox({ data });
  sandbox.now = running.at(-1)?.now ?? sandbox.now;
  running.push(sandbox);
  return sandbox;
}

test('order, options, archived definitions and values survive a restart', async () => {
  const before = start();
  const color = await define(before, 'MULTI_SELECT', { options: ['red', 'blue', 'teal'] });
  const note = await define(before, 'TEXT');
  const gone = await define(before, 'DATE', { dateRange: true });
  const [red, blue, teal] = color.options.map(({ id }) => id);
  const [chair, table] = [await model(before, 'chair'), await model(before, 'table')];
  const { id: style } = await before.control<{ id: string }>('/assets', {
    assetType: 'STYLE',
    name: 'matte',
  });
  await write(before, [chair, table], {
    set: [
      { propertyId: color.id, optionIds: [teal, red] },
      { propertyId: note.id, text: 'x' },
      { propertyId: gone.id, date: 0, endDate: 86_400_000 },
    ],
  });
  await write(before, [style], { assetType: 'STYLE', set: [{ propertyId: note.id, text: 'y' }] });
  await write(before, [table], { unset: [note.id] });
  await before.call(`PATCH /properties/${color.id}/options/${red}`, { archived: true });
  await before.call(`POST /properties/${color.id}/options/merge`, {
    fromOptionId: teal,
    intoOptionId: blue,
  });
  await before.call('POST /properties/reorder', { ids: [note.id] });
  await before.call(`DELETE /properties/${gone.id}`);
  const answers = async (sandbox: TestSandbox) => [
    (await sandbox.call('GET /properties?includeArchived=true')).body,
    (await search(sandbox, [{ propertyId: color.id, optionIds: [blue] }])).body,
    (await search(sandbox, [{ propertyId: note.id, isEmpty: true }])).body,
    (await search(sandbox, [], { assetType: 'STYLE' })).body,
  ];
  const told = await answers(before);
  expect(told[1]).toMatchObject({ total: 2 });
  expect(await answers(start())).toEqual(told);
});

test('values of deleted assets are not kept', async () => {
  const sandbox = start();
  const { id: propertyId } = await define(sandbox, 'TEXT');
  const option = await define(sandbox, 'SELECT', { options: ['a'] });
  const modelId = await readyModel(sandbox, 'shoe.glb', triangleGlb(['Blue']));
  const projectId = await createProject(sandbox, [modelId]);
  const { jobId } = await startRender(sandbox, [projectId]);
  const render = (await finishRender(sandbox, jobId)).renders[0];
  const { body } = await sandbox.call<{ variants: { variantId: string }[] }>(
    `GET /models/${modelId}/variants`,
  );
  const stays = await model(sandbox, 'stays');
  const values: [assetType: string, id: string | undefined][] = [
    ['MODEL', modelId],
    ['VARIANT', body.variants[0]?.variantId],
    ['PROJECT', projectId],
    ['RENDER', render?.id],
    ['MODEL', stays],
  ];
  for (const [assetType, id = ''] of values) {
    const set = [
      { propertyId, text: `held by ${id}` },
      { propertyId: option.id, optionIds: [optionId(option, 'a')] },
    ];
    expect((await write(sandbox, [id], { assetType, set })).body).toEqual({ updated: 1 });
  }
  await sandbox.call(`DELETE /projects/${projectId}`);
  await sandbox.call(`DELETE /models/${modelId}`);
  // A start rewrites the state with only the current records.
  start();
  const state = readFileSync(join(data, 'state.jsonl'), 'utf8');
  expect(state.match(/held by [\w-]+/g)).toEqual([`held by ${stays}`]);
});

test('reset deletes properties and assets', async () => {
  const sandbox = start();
  const { id: propertyId } = await define(sandbox, 'TEXT');
  await write(sandbox, [await model(sandbox)], { set: [{ propertyId, text: 'x' }] });
  await sandbox.control('/assets', { assetType: 'STYLE', name: 'matte' });
  await sandbox.control('/reset', {});
  expect((await sandbox.call('GET /properties?includeArchived=true')).body).toEqual({
    properties: [],
  });
  expect((await search(sandbox, [], { assetType: 'STYLE' })).body.total).toBe(0);
});
