// Options of select properties, and tags that are converted to options.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  bad,
  type Definition,
  define,
  missing,
  model,
  optionId,
  refusal,
  search,
  valuesOf,
  write,
} from '../_properties.ts';
import { TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const add = (propertyId: string, body: unknown) =>
  sandbox.call<Definition>(`POST /properties/${propertyId}/options`, body);
const change = (propertyId: string, option: string, body: unknown) =>
  sandbox.call<Definition>(`PATCH /properties/${propertyId}/options/${option}`, body);
const merge = (propertyId: string, fromOptionId: string, intoOptionId: string) =>
  sandbox.call<Definition>(`POST /properties/${propertyId}/options/merge`, {
    fromOptionId,
    intoOptionId,
  });

describe('a new option', () => {
  test('a new option is the last one, with a colour or none', async () => {
    const { id } = await define(sandbox, 'MULTI_SELECT', { options: ['a'] });
    const first = await add(id, { label: 'b', color: '#1A2b3C' });
    expect(first.status).toBe(201);
    const { body } = await add(id, { label: 'A' });
    expect(body.options).toMatchObject([
      { label: 'a', color: null, sortOrder: 0 },
      { label: 'b', color: '#1A2b3C', sortOrder: 1, archived: false },
      { label: 'A', color: null, sortOrder: 2 },
    ]);
    expect((await sandbox.call(`GET /properties/${id}`)).body).toEqual(body);
  });

  test('a new option is last even after the largest sortOrder, which stays a safe integer', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['a'] });
    await change(made.id, optionId(made, 'a'), { sortOrder: Number.MAX_SAFE_INTEGER });
    const { body } = await add(made.id, { label: 'b' });
    expect(body.options.map(({ label }) => label)).toEqual(['a', 'b']);
    expect(body.options.every(({ sortOrder }) => Number.isSafeInteger(sortOrder))).toBe(true);
  });

  test.each([
    ['no label', {}],
    ['a blank label', { label: ' ' }],
    ['an existing label', { label: 'a' }],
    ['an existing label with spaces', { label: ' a ' }],
    ['a short colour', { label: 'b', color: '#abc' }],
    ['a colour by name', { label: 'b', color: 'red' }],
  ])('a new option with %s is refused', async (_title, body) => {
    const made = await define(sandbox, 'SELECT', { options: ['a'] });
    expect(refusal(await add(made.id, body))).toEqual(bad);
    expect((await sandbox.call(`GET /properties/${made.id}`)).body).toEqual(made);
  });

  test.each(['NUMBER', 'DATE'])('a new option of a %s is refused', async (type) => {
    const { id } = await define(sandbox, type);
    expect(refusal(await add(id, { label: 'a' }))).toEqual(bad);
  });

  test('a new option is refused after 200 options, including archived ones, until a merge makes room', async () => {
    const options = Array.from({ length: 199 }, (_, index) => `o${index}`);
    const made = await define(sandbox, 'SELECT', { options });
    const [first, second] = made.options.map((option) => option.id);
    await change(made.id, first ?? '', { archived: true });
    expect((await add(made.id, { label: 'the last' })).status).toBe(201);
    expect(refusal(await add(made.id, { label: 'too many' }))).toEqual(bad);
    await merge(made.id, first ?? '', second ?? '');
    expect((await add(made.id, { label: 'fits again' })).status).toBe(201);
  });
});

describe('changing an option', () => {
  test('a change affects only the given fields, and options are sorted by sortOrder, then by age', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['a', 'b', 'c'] });
    const { status, body } = await change(made.id, optionId(made, 'c'), { sortOrder: 0 });
    expect(status).toBe(200);
    expect(body.options.map(({ label }) => label)).toEqual(['a', 'c', 'b']);
    const front = await change(made.id, optionId(made, 'b'), { sortOrder: -1, color: '#000000' });
    expect(front.body.options.map(({ label }) => label)).toEqual(['b', 'a', 'c']);
    const plain = await change(made.id, optionId(made, 'b'), { color: null, label: 'B' });
    expect(plain.body.options[0]).toEqual({
      id: optionId(made, 'b'),
      label: 'B',
      color: null,
      sortOrder: -1,
      archived: false,
    });
  });

  test('a change archives and restores an option', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['a'] });
    const id = optionId(made, 'a');
    expect((await change(made.id, id, { archived: true })).body.options).toMatchObject([
      { archived: true },
    ]);
    expect(refusal(await add(made.id, { label: 'a' }))).toEqual(bad);
    expect((await change(made.id, id, { archived: false })).body).toEqual(made);
  });

  test.each([
    ['an empty body', {}],
    ['the label of another option', { label: 'b' }],
    ['a blank label', { label: '' }],
    ['a fraction as sortOrder', { sortOrder: 1.5 }],
  ])('a change with %s is refused', async (_title, body) => {
    const made = await define(sandbox, 'SELECT', { options: ['a', 'b'] });
    expect(refusal(await change(made.id, optionId(made, 'a'), body))).toEqual(bad);
  });

  test('an option can be set to the label that it already has', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['a'] });
    expect((await change(made.id, optionId(made, 'a'), { label: 'a' })).status).toBe(200);
  });
});

describe('a merge', () => {
  test('a merge replaces the source on all asset types without duplicates, and removes it', async () => {
    const multi = await define(sandbox, 'MULTI_SELECT', { options: ['navy', 'blue', 'red'] });
    const single = await define(sandbox, 'SELECT', { name: 'other', options: ['x'] });
    const [navy, blue, red] = multi.options.map(({ id }) => id);
    const both = await model(sandbox, 'both');
    const one = await model(sandbox, 'one');
    const untouched = await model(sandbox, 'untouched');
    const { id: style } = await sandbox.control<{ id: string }>('/assets', {
      assetType: 'STYLE',
      name: 'matte',
    });
    const set = (optionIds: unknown) => ({ set: [{ propertyId: multi.id, optionIds }] });
    await write(sandbox, [both], set([red, navy, blue]));
    await write(sandbox, [one], {
      set: [...set([navy]).set, { propertyId: single.id, optionIds: [optionId(single, 'x')] }],
    });
    await write(sandbox, [untouched], set([red]));
    await write(sandbox, [style], { assetType: 'STYLE', ...set([navy]) });
    const { status, body } = await merge(multi.id, navy ?? '', blue ?? '');
    expect(status).toBe(200);
    expect(body.options.map(({ label }) => label)).toEqual(['blue', 'red']);
    const held = async (id: string, type?: string) => (await valuesOf(sandbox, id, type))[0];
    expect(await held(both)).toEqual({ propertyId: multi.id, optionIds: [red, blue] });
    expect(await valuesOf(sandbox, one)).toEqual([
      { propertyId: multi.id, optionIds: [blue] },
      { propertyId: single.id, optionIds: [optionId(single, 'x')] },
    ]);
    expect(await held(untouched)).toEqual({ propertyId: multi.id, optionIds: [red] });
    expect(await held(style, 'STYLE')).toEqual({ propertyId: multi.id, optionIds: [blue] });
    const gone = await search(sandbox, [{ propertyId: multi.id, optionIds: [navy] }]);
    expect(refusal(gone)).toEqual(bad);
    expect(refusal(await merge(multi.id, navy ?? '', blue ?? ''))).toEqual(missing);
  });

  test('a merge accepts an archived source', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['a', 'b'] });
    const [a = '', b = ''] = made.options.map(({ id }) => id);
    await change(made.id, a, { archived: true });
    expect((await merge(made.id, a, b)).body.options).toHaveLength(1);
  });

  test('a merge refuses options of another property, and a TEXT', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['a'] });
    const other = await define(sandbox, 'SELECT', { name: 'other', options: ['a'] });
    const text = await define(sandbox, 'TEXT');
    const [a, foreign] = [optionId(made, 'a'), optionId(other, 'a')];
    expect(refusal(await merge(made.id, foreign, a))).toEqual(missing);
    expect(refusal(await merge(made.id, a, foreign))).toEqual(missing);
    expect(refusal(await merge(text.id, a, foreign))).toEqual(bad);
  });
});

describe('convert-tag', () => {
  const convert = (propertyId: string, tagId: string) =>
    sandbox.call<{ property: Definition; optionId: string; updated: number }>(
      `POST /properties/${propertyId}/convert-tag`,
      { tagId },
    );

  async function tagged(name: string, ids: readonly string[]): Promise<string> {
    const tag = await sandbox.control<{ id: string }>('/tags', { name });
    for (const id of ids) await sandbox.control(`/models/${id}/tags`, { tagIds: [tag.id] });
    return tag.id;
  }

  test('convert-tag adds the option to a MULTI_SELECT, keeps the tag, and is idempotent', async () => {
    const made = await define(sandbox, 'MULTI_SELECT', { options: ['old'] });
    const old = optionId(made, 'old');
    const [answered, empty, other] = [
      await model(sandbox, 'answered'),
      await model(sandbox, 'empty'),
      await model(sandbox, 'other'),
    ];
    await write(sandbox, [answered], { set: [{ propertyId: made.id, optionIds: [old] }] });
    const tagId = await tagged('Summer', [answered, empty]);
    const { status, body } = await convert(made.id, tagId);
    expect(status).toBe(200);
    expect(body.updated).toBe(2);
    expect(body.optionId).toBe(optionId(body.property, 'Summer'));
    const summer = body.optionId;
    expect(await valuesOf(sandbox, answered)).toMatchObject([{ optionIds: [old, summer] }]);
    expect(await valuesOf(sandbox, empty)).toMatchObject([{ optionIds: [summer] }]);
    expect(await valuesOf(sandbox, other)).toEqual([]);
    expect((await convert(made.id, tagId)).body).toEqual(body);
    const second = await define(sandbox, 'SELECT', { name: 'second' });
    expect((await convert(second.id, tagId)).body.updated).toBe(2);
  });

  test('convert-tag keeps existing values of a SELECT', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['winter', 'SUMMER'] });
    const [winter, summer] = [optionId(made, 'winter'), optionId(made, 'SUMMER')];
    const [answered, empty] = [await model(sandbox), await model(sandbox)];
    await write(sandbox, [answered], { set: [{ propertyId: made.id, optionIds: [winter] }] });
    const { body } = await convert(made.id, await tagged('Summer', [answered, empty]));
    expect(body).toMatchObject({ optionId: summer, updated: 1 });
    expect(body.property).toEqual(made);
    expect(await valuesOf(sandbox, answered)).toMatchObject([{ optionIds: [winter] }]);
    expect(await valuesOf(sandbox, empty)).toMatchObject([{ optionIds: [summer] }]);
  });

  test.each([
    ['a TEXT', 'TEXT', {}],
    ['a property that does not apply to models', 'SELECT', { appliesTo: ['PROP', 'VARIANT'] }],
  ])('convert-tag refuses %s', async (_title, type, more) => {
    const { id } = await define(sandbox, type, more);
    expect(refusal(await convert(id, await tagged('Summer', [])))).toEqual(bad);
  });

  test('convert-tag refuses an archived property, an archived option and an unknown tag', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['Summer'] });
    const tagId = await tagged('Summer', [await model(sandbox)]);
    expect(refusal(await convert(made.id, 'none'))).toEqual(missing);
    await change(made.id, optionId(made, 'Summer'), { archived: true });
    expect(refusal(await convert(made.id, tagId))).toEqual(bad);
    await change(made.id, optionId(made, 'Summer'), { archived: false });
    await sandbox.call(`DELETE /properties/${made.id}`);
    expect(refusal(await convert(made.id, tagId))).toEqual(bad);
    await sandbox.call(`PATCH /properties/${made.id}`, { archived: false });
    expect((await convert(made.id, tagId)).status).toBe(200);
  });

  test('convert-tag refuses a new option for a property that is full', async () => {
    const options = Array.from({ length: 200 }, (_, index) => `o${index}`);
    const { id } = await define(sandbox, 'SELECT', { options });
    expect(refusal(await convert(id, await tagged('Summer', [])))).toEqual(bad);
    expect((await convert(id, await tagged('o7', []))).status).toBe(200);
  });
});
