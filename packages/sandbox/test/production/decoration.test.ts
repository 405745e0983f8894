// Decoration methods, inks and Pantone colours.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { projectModel, putLogo, readyDecal } from '../_production.ts';
import { TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

describe('a decoration method', () => {
  async function placed() {
    const { modelId, variantIds } = await projectModel(sandbox, ['red', 'blue']);
    const [red = '', blue = ''] = variantIds;
    const decalId = await readyDecal(sandbox);
    await putLogo(sandbox, { modelId, variantId: red }, decalId);
    const set = (method: unknown, variantId = red, slotId = 'slot-1') =>
      sandbox.call(
        `PUT /models/${modelId}/variants/${variantId}/decal-slots/${slotId}/decoration-method`,
        { method },
      );
    return { modelId, red, blue, decalId, set };
  }

  test.each([
    ['dtf (DIRECT-to-film)', 'DTF (direct-to-film)'],
    [' embroidery ', 'Embroidery'],
  ])('the method %j is stored as %j', async (method, stored) => {
    const { red, decalId, set } = await placed();
    await set('Other');
    const { status, body } = await set(method);
    expect(status).toBe(200);
    expect(body).toEqual({
      variantId: red,
      slotId: 'slot-1',
      decalId,
      imageKey: expect.stringContaining(decalId),
      width: 60,
      height: 40,
      decorationMethod: stored,
    });
  });

  test('a method is required', async () => {
    const { set } = await placed();
    const { status, text } = await set(undefined);
    expect([status, text]).toEqual([400, expect.stringContaining('VALIDATION_ERROR')]);
  });

  test('a method needs a logo in the slot of that variant', async () => {
    const { blue, red, set } = await placed();
    for (const answer of [
      await set('x', blue),
      await set('x', red, 'slot-0'),
      await set('x', 'no'),
    ]) {
      expect([answer.status, answer.text]).toEqual([404, expect.stringContaining('"NOT_FOUND"')]);
    }
    expect((await set('x', `{${red.toUpperCase()}}`)).status).toBe(200);
  });
});

describe('inks', () => {
  const put = (decalId: string, body: unknown) => sandbox.call(`PUT /decals/${decalId}/inks`, body);

  test('inks are stored as a list, with normalized codes', async () => {
    const decalId = await readyDecal(sandbox);
    const { status, body } = await put(decalId, {
      inks: [
        { name: 'Red', pantoneCode: 'pms 186c', hex: '#c8102e' },
        { pantoneCode: 'cool grey 11 c' },
        { pantoneCode: '19-4052 tcx', name: null },
        { name: 'White' },
      ],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: decalId,
      name: 'crest',
      inks: [
        { name: 'Red', pantoneCode: '186 C', hex: '#c8102e' },
        { name: '', pantoneCode: 'Cool Gray 11 C', hex: null },
        { name: '', pantoneCode: '19-4052 TCX', hex: null },
        { name: 'White', pantoneCode: null, hex: null },
      ],
    });
    expect((await put(decalId, { inks: [] })).body).toMatchObject({ inks: [] });
  });

  test('inks are read from a spec line, which the response contains', async () => {
    const decalId = await readyDecal(sandbox);
    const { body } = await put(decalId, { spec: '90 x 50 mm / 3 colors / PMS 186; white / dtf' });
    const inks = [
      { name: '', pantoneCode: '186 C', hex: null },
      { name: 'white', pantoneCode: null, hex: null },
    ];
    expect(body).toEqual({
      id: decalId,
      name: 'crest',
      inks,
      spec: {
        inks,
        colourCount: 3,
        method: 'DTF (direct-to-film)',
        widthIn: 3.543,
        heightIn: 1.969,
        warnings: ['The spec states 3 colors, but 2 inks were found.'],
      },
    });
  });

  test.each([
    ['a list and a spec line together', { inks: [], spec: '' }],
    ['an empty ink', { inks: [{ name: ' ', pantoneCode: '' }] }],
    ['17 inks in a spec', { spec: Array.from({ length: 17 }, () => '186 C').join('/') }],
  ])('inks are refused: %s', async (_, body) => {
    const decalId = await readyDecal(sandbox);
    await put(decalId, { spec: '186 C' });
    const { status, text } = await put(decalId, body);
    expect([status, text]).toEqual([400, expect.stringContaining('VALIDATION_ERROR')]);
  });

  test('inks that are set through the deprecated list of codes have no names', async () => {
    const decalId = await readyDecal(sandbox);
    const codes = `PUT /decals/${decalId}/pantone-codes`;
    const { body } = await sandbox.call(codes, { codes: ['pms 286 c', 'Black 6 C'] });
    expect(body).toMatchObject({
      inks: [
        { name: '', pantoneCode: '286 C', hex: null },
        { name: '', pantoneCode: 'Black 6 C', hex: null },
      ],
    });
    expect((await sandbox.call(codes, { codes: ['white'] })).status).toBe(400);
  });
});

describe('a Pantone material', () => {
  const body = { name: 'Team red', pantoneCode: 'PMS 186', hex: '#C8102E' };

  test('a Pantone material has a normalized code', async () => {
    const { body: made } = await sandbox.call('POST /materials/pantone', body);
    expect(made).toMatchObject({ pantoneCode: '186 C' });
  });

  test.each(['name', 'hex'])('a Pantone material needs a non-empty %s', async (field) => {
    const { status } = await sandbox.call('POST /materials/pantone', { ...body, [field]: '' });
    expect(status).toBe(400);
  });

  test('a Pantone material accepts another code, and refuses an empty change', async () => {
    const { body: made } = await sandbox.call<{ id: string }>('POST /materials/pantone', body);
    const put = (change: object) => sandbox.call(`PUT /materials/${made.id}/pantone`, change);
    expect((await put({ pantoneCode: 'pms 286c', hex: '#0033A0' })).body).toEqual({
      id: made.id,
      name: 'Team red',
      pantoneCode: '286 C',
      hex: '#0033A0',
    });
    expect((await put({})).status).toBe(400);
  });
});
