// Asset search, and the same filters on GET /models.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bad,
  type Definition,
  define,
  type Found,
  missing,
  model,
  optionId,
  refusal,
  search,
  write,
} from '../_properties.ts';
import { type TestResponse, TestSandbox } from '../_test-sandbox.ts';

const day = Date.UTC(2026, 4, 6);
const dayMs = 86_400_000;

// The workspace is filled once and only read. Three of four models have colour, tags, note, price and season.
const sandbox = new TestSandbox();
let color: Definition;
let tags: Definition;
let note: Definition;
let price: Definition;
let season: Definition;
let props: Definition;
let shelved: Definition;

beforeAll(async () => {
  color = await define(sandbox, 'SELECT', { name: 'colour', options: ['red', 'blue', 'green'] });
  tags = await define(sandbox, 'MULTI_SELECT', { name: 'tags', options: ['new', 'sale', 'kids'] });
  note = await define(sandbox, 'TEXT', { name: 'note' });
  price = await define(sandbox, 'NUMBER', { name: 'price' });
  season = await define(sandbox, 'DATE', { name: 'season', dateRange: true });
  props = await define(sandbox, 'TEXT', { name: 'props only', appliesTo: ['PROP'] });
  shelved = await define(sandbox, 'TEXT', { name: 'shelved' });
  const fill = async (name: string, values: object[]) => {
    const id = await model(sandbox, name);
    if (values.length > 0) await write(sandbox, [id], { set: values });
  };
  await fill('one', [
    { propertyId: color.id, optionIds: [optionId(color, 'red')] },
    { propertyId: tags.id, optionIds: [optionId(tags, 'new'), optionId(tags, 'sale')] },
    { propertyId: note.id, text: '100% Wool (soft)' },
    { propertyId: price.id, number: 10 },
    { propertyId: season.id, date: day, endDate: day + 9 * dayMs },
    { propertyId: shelved.id, text: 'kept' },
  ]);
  await fill('two', [
    { propertyId: color.id, optionIds: [optionId(color, 'blue')] },
    { propertyId: tags.id, optionIds: [optionId(tags, 'sale')] },
    { propertyId: note.id, text: '100 wool' },
    { propertyId: price.id, number: -2.5 },
  ]);
  await fill('three', [
    { propertyId: note.id, text: 'Straße' },
    { propertyId: price.id, number: 0 },
    { propertyId: season.id, date: day + dayMs },
  ]);
  await fill('four', []);
  await sandbox.call(`DELETE /properties/${shelved.id}`);
  const green = optionId(color, 'green');
  await sandbox.call(`PATCH /properties/${color.id}/options/${green}`, { archived: true });
});
afterAll(() => sandbox.sandbox.close());

/** Names of the models that both operations find, since they have the same filters. */
async function found(filters: object[]): Promise<string[]> {
  const { body, text } = await search(sandbox, filters);
  if (!body.assets) throw new Error(text);
  expect(body.total).toBe(body.assets.length);
  const names = body.assets.map(({ name }) => name);
  const listed = await list(JSON.stringify(filters));
  expect(listed.body.models.map(({ name }) => name)).toEqual(names);
  return names;
}

function list(properties: string, more = '') {
  return sandbox.call<{ models: { name: string; properties?: unknown }[]; total: number }>(
    `GET /models?properties=${encodeURIComponent(properties)}${more}`,
  );
}

describe('filters', () => {
  const any = (property: Definition, ...labels: string[]) => ({
    propertyId: property.id,
    optionIds: labels.map((label) => optionId(property, label)),
  });
  const cases: [title: string, filters: () => object[], names: string[]][] = [
    ['no filters', () => [], ['four', 'three', 'two', 'one']],
    ['an archived option', () => [any(color, 'green', 'red')], ['one']],
    ['an option among several', () => [any(tags, 'sale')], ['two', 'one']],
    ['an option without assets', () => [any(tags, 'kids')], []],
    ['text beyond ASCII', () => [{ propertyId: note.id, text: 'STRAß' }], ['three']],
    ['a stored range, by its start', () => [{ propertyId: season.id, after: day + 1 }], ['three']],
    ['a day', () => [{ propertyId: season.id, after: day, before: day + dayMs - 1 }], ['one']],
    [
      'an archived property without value',
      () => [{ propertyId: shelved.id, isEmpty: true }],
      ['four', 'three', 'two'],
    ],
    [
      'all filters together',
      () => [
        { propertyId: note.id, text: 'wool' },
        { propertyId: price.id, max: 0 },
      ],
      ['two'],
    ],
    [
      'two filters of one property',
      () => [
        { propertyId: price.id, min: -5 },
        { propertyId: price.id, max: 5 },
      ],
      ['three', 'two'],
    ],
    [
      'a contradiction',
      () => [{ propertyId: price.id }, { propertyId: price.id, isEmpty: true }],
      [],
    ],
  ];
  test.each(cases)(
    'filters find the same assets in both operations: %s',
    async (_title, filters, names) => {
      expect(await found(filters())).toEqual(names);
    },
  );
});

describe('refusals', () => {
  const cases: [title: string, filter: () => unknown][] = [
    ['an unknown field', () => ({ propertyId: note.id, value: 'x' })],
    ['`before` with a TEXT property', () => ({ propertyId: note.id, before: 1 })],
    ['an unknown option', () => ({ propertyId: color.id, optionIds: ['none'] })],
    [
      "another property's option",
      () => ({ propertyId: color.id, optionIds: [optionId(tags, 'new')] }),
    ],
    ['no option', () => ({ propertyId: color.id, optionIds: [] })],
    ['empty text', () => ({ propertyId: note.id, text: '' })],
    ['isEmpty: false', () => ({ propertyId: note.id, isEmpty: false })],
    ['conditions of two kinds', () => ({ propertyId: price.id, min: 1, after: 1 })],
    ['a property for other asset types', () => ({ propertyId: props.id, text: 'x' })],
    ['a null value', () => ({ propertyId: note.id, text: null })],
  ];
  test.each(cases)('a filter is refused: %s', async (_title, filter) => {
    expect(refusal(await search(sandbox, [filter() as object]))).toEqual(bad);
    expect(refusal(await list(JSON.stringify([filter()])))).toEqual(bad);
  });

  test('a refusal contains the filter, the property and the reason', async () => {
    const filters = [{ propertyId: note.id }, { propertyId: price.id, text: '1' }];
    const { body } = (await search(sandbox, filters)) as TestResponse<object> as TestResponse<{
      error: { message: string };
    }>;
    expect(body.error.message).toBe(
      `properties[1]: text cannot be used with property "price" (${price.id}), which is NUMBER`,
    );
  });

  test('an unknown property is refused with 404, but with 400 in the list of models', async () => {
    const filters = [{ propertyId: 'none' }];
    expect(refusal(await search(sandbox, filters))).toEqual(missing);
    expect(refusal(await list(JSON.stringify(filters)))).toEqual(bad);
  });

  test('more than 30 filters are refused', async () => {
    const filters = (count: number) =>
      Array.from({ length: count }, () => ({ propertyId: note.id, text: 'wool' }));
    expect(await found(filters(30))).toEqual(['two', 'one']);
    expect(refusal(await search(sandbox, filters(31)))).toEqual(bad);
    expect(refusal(await list(JSON.stringify(filters(31))))).toEqual(bad);
  });
});

describe('pages', () => {
  test('pages can be read without filters, and the total counts all pages', async () => {
    const whole = await search(sandbox, []);
    const bare = await sandbox.call<Found>('POST /assets/search', { assetType: 'MODEL' });
    expect(bare.body).toEqual(whole.body);
    const beyond = await search(sandbox, [], { limit: 100, offset: 100_000 });
    expect(beyond.body).toMatchObject({ assets: [], total: 4 });
  });

  test('pages contain each asset with all of its values, in the order of the properties', async () => {
    const { body } = await search(sandbox, [{ propertyId: price.id, min: 10 }]);
    const [asset] = body.assets;
    expect(asset).toMatchObject({ name: 'one', assetType: 'MODEL' });
    expect(asset?.properties).toEqual([
      {
        propertyId: color.id,
        key: 'colour',
        name: 'colour',
        type: 'SELECT',
        optionIds: [optionId(color, 'red')],
      },
      {
        propertyId: tags.id,
        key: 'tags',
        name: 'tags',
        type: 'MULTI_SELECT',
        optionIds: [optionId(tags, 'new'), optionId(tags, 'sale')],
      },
      { propertyId: note.id, key: 'note', name: 'note', type: 'TEXT', text: '100% Wool (soft)' },
      { propertyId: price.id, key: 'price', name: 'price', type: 'NUMBER', number: 10 },
      {
        propertyId: season.id,
        key: 'season',
        name: 'season',
        type: 'DATE',
        date: day,
        endDate: day + 9 * dayMs,
      },
      { propertyId: shelved.id, key: 'shelved', name: 'shelved', type: 'TEXT', text: 'kept' },
    ]);
  });
});

describe('GET /models', () => {
  test('GET /models returns values only if the query contains properties', async () => {
    const { body } = await list(JSON.stringify([{ propertyId: price.id, max: 0 }]));
    expect(body.models).toMatchObject([
      {
        name: 'three',
        properties: [{ key: 'note' }, { key: 'price', number: 0 }, { key: 'season' }],
      },
      { name: 'two', properties: expect.any(Array) },
    ]);
    expect((await list('[]')).body.models[0]).toMatchObject({ name: 'four', properties: [] });
    const plain = await sandbox.call<{ models: object[] }>('GET /models');
    for (const item of plain.body.models) expect(item).not.toHaveProperty('properties');
  });

  test('GET /models combines the query with other filters and pages', async () => {
    const filters = JSON.stringify([{ propertyId: note.id }]);
    const names = async (more: string) => (await list(filters, more)).body;
    expect(await names('&name=T')).toMatchObject({ total: 2 });
    expect(await names('&status=PENDING&limit=1&offset=2')).toMatchObject({
      total: 3,
      models: [{ name: 'one' }],
    });
    expect(await names('&status=READY')).toMatchObject({ total: 0, models: [] });
  });

  test.each(['', '"x"', 'null', '[1]', '[null]'])(
    'GET /models refuses the query %j',
    async (text) => {
      expect(refusal(await list(text))).toEqual(bad);
    },
  );
});
