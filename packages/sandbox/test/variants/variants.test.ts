// Variants and slots of real and generated models, tags, and logos in slots.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  hasSharedData,
  type ModelRow,
  sharedPath,
  sharedRows,
} from '../../../../test/glb/_shared-data.ts';
import { isSameGuid, normalizeGuid } from '../../src/variants/guid.ts';
import { readyModel, uploadedModel } from '../_flows.ts';
import { readyDecal } from '../_library.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

interface Variant {
  variantId: string;
  name: string;
  isDefault: boolean;
  source: string;
  materials: unknown[];
}

interface Slot {
  slotId: string;
  name: string;
  logos: { variantId: string; decalId: string }[];
}

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const code = (answer: { body: unknown }) => (answer.body as { error: { code: string } }).error.code;
const variantsOf = async (modelId: string) =>
  (await sandbox.call<{ variants: Variant[] }>(`GET /models/${modelId}/variants`)).body.variants;
const slotsOf = async (modelId: string) =>
  (await sandbox.call<{ decalSlots: Slot[] }>(`GET /models/${modelId}/decal-slots`)).body
    .decalSlots;

describe('variants', () => {
  test('the variants are those of the file, in its order, with their own ids', async () => {
    const variants = await variantsOf(
      await readyModel(sandbox, 'shoe.glb', triangleGlb(['Mango Velvet', 'beach'])),
    );
    expect(variants).toMatchObject([
      { name: 'Mango Velvet', isDefault: true, source: 'file', materials: [] },
      { name: 'beach', isDefault: false, source: 'file', materials: [] },
    ]);
    expect(new Set(variants.map(({ variantId }) => variantId)).size).toBe(2);
  });

  test('a model without variants has one default variant, always with the same id', async () => {
    const modelId = await readyModel(sandbox);
    const variants = await variantsOf(modelId);
    expect(variants).toMatchObject([{ name: 'Default', isDefault: true, source: 'file' }]);
    expect(await variantsOf(modelId)).toEqual(variants);
  });

  test('variants exist once the file has been processed, but never for a refused file', async () => {
    const modelId = await uploadedModel(sandbox);
    expect([await variantsOf(modelId), await slotsOf(modelId)]).toEqual([[], []]);
    sandbox.advance(6);
    expect([(await variantsOf(modelId)).length, (await slotsOf(modelId)).length]).toEqual([1, 2]);
    const broken = await readyModel(sandbox, 'broken.glb', Buffer.from('no model at all'));
    expect([await variantsOf(broken), await slotsOf(broken)]).toEqual([[], []]);
  });

  test.each(['variants', 'decal-slots'])(
    'a request for the %s of an unknown model gets MODEL_NOT_FOUND',
    async (list) => {
      const refused = await sandbox.call(`GET /models/nope/${list}`);
      expect([refused.status, code(refused)]).toEqual([404, 'MODEL_NOT_FOUND']);
    },
  );
});

describe.skipIf(!hasSharedData)('real models', () => {
  const rows = hasSharedData
    ? sharedRows<ModelRow>('models.jsonl').filter(({ file }) => file.endsWith('.glb'))
    : [];

  test('real models are found', () => expect(rows.length).toBeGreaterThan(5));

  test.each(rows)('the model $file has the variants and slots of its table', async (row) => {
    const modelId = await readyModel(sandbox, row.file, readFileSync(sharedPath(row.file)));
    const names = row.variants?.length ? row.variants : ['Default'];
    expect((await variantsOf(modelId)).map(({ name }) => name)).toEqual(names);
    const slots = await slotsOf(modelId);
    expect(slots.map(({ name }) => name)).toEqual(row.materials?.map((name) => name ?? ''));
    // Three materials of one shoe have the same name, so only the ids differ.
    expect(new Set(slots.map(({ slotId }) => slotId)).size).toBe(slots.length);
  });
});

describe('GUIDs (4.13)', () => {
  const plain = '0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
  test.each([
    plain,
    `{${plain}}`,
    plain.replaceAll('-', ''),
    `{${plain.replaceAll('-', '')}}`,
    plain.toUpperCase(),
  ])('the spelling %s means the same GUID', (form) => expect(isSameGuid(form, plain)).toBe(true));

  test.each([plain.slice(1), `${plain}0`, '', 'slot-1'])(
    'the string %j is not a spelling of the GUID',
    (form) => expect(isSameGuid(form, plain)).toBe(false),
  );

  test('a string that is not a GUID keeps its dashes', () =>
    expect(normalizeGuid('a-b')).not.toBe(normalizeGuid('ab')));
});

describe('logos in slots (/_sandbox)', () => {
  const place = (modelId: string, variantId: string, slotId: string) =>
    `/models/${modelId}/variants/${encodeURIComponent(variantId)}/decal-slots/${slotId}`;

  test('a logo is in the slot of its variant until it is removed', async () => {
    const modelId = await readyModel(sandbox, 'shoe.glb', triangleGlb(['a', 'b']));
    const [, second] = await variantsOf(modelId);
    const variantId = second?.variantId ?? '';
    const decalId = await readyDecal(sandbox);
    await sandbox.control(place(modelId, `{${variantId}}`, 'slot-1'), { decalId });
    expect(await slotsOf(modelId)).toMatchObject([
      { slotId: 'slot-0', name: 'body', logos: [] },
      {
        slotId: 'slot-1',
        name: 'other',
        logos: [
          { variantId, slotId: 'slot-1', decalId, width: 8, height: 6, decorationMethod: null },
        ],
      },
    ]);
    await sandbox.control(place(modelId, variantId, 'slot-1'), { decalId: null });
    expect((await slotsOf(modelId)).flatMap(({ logos }) => logos)).toEqual([]);
  });

  test('a deleted logo is removed from its slot', async () => {
    const modelId = await readyModel(sandbox);
    const variantId = (await variantsOf(modelId))[0]?.variantId ?? '';
    const decalId = await readyDecal(sandbox);
    await sandbox.control(place(modelId, variantId, 'slot-0'), { decalId });
    await sandbox.call(`DELETE /decals/${decalId}`);
    expect((await slotsOf(modelId)).flatMap(({ logos }) => logos)).toEqual([]);
  });

  test('unknown models, variants, slots and logos are refused', async () => {
    const modelId = await readyModel(sandbox);
    const [variant] = await variantsOf(modelId);
    const variantId = variant?.variantId ?? '';
    const decalId = await readyDecal(sandbox);
    const codeOf = async (path: string, id = decalId) =>
      code({ body: await sandbox.control(path, { decalId: id }) });
    expect(await codeOf(place('nope', variantId, 'slot-0'))).toBe('MODEL_NOT_FOUND');
    expect(await codeOf(place(modelId, 'nope', 'slot-0'))).toBe('NOT_FOUND');
    expect(await codeOf(place(modelId, variantId, 'slot-2'))).toBe('NOT_FOUND');
    expect(await codeOf(place(modelId, variantId, 'slot-0'), 'nope')).toBe('NOT_FOUND');
  });
});

describe('tags (/_sandbox)', () => {
  test('a name identifies one tag, and a model has the tags that were last set', async () => {
    const modelId = await readyModel(sandbox);
    const tag = await sandbox.control<{ id: string }>('/tags', { name: 'summer' });
    expect(await sandbox.control('/tags', { name: 'summer' })).toEqual(tag);
    expect(await sandbox.control(`/models/${modelId}/tags`, { tagIds: [tag.id, tag.id] })).toEqual({
      modelId,
      tagIds: [tag.id],
    });
    const refused = await sandbox.control(`/models/${modelId}/tags`, { tagIds: ['nope'] });
    expect(code({ body: refused })).toBe('NOT_FOUND');
  });
});
