// Property definitions: creation, keys, limits, archiving, order, rights.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assetTypes } from '../../../../src/api/operations/properties.ts';
import { bad, type Definition, define, missing, model, refusal } from '../_properties.ts';
import { TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

async function names(query = ''): Promise<string[]> {
  const { body } = await sandbox.call<{ properties: Definition[] }>(`GET /properties${query}`);
  return body.properties.map(({ name }) => name);
}

describe('creating a property', () => {
  test('a new select keeps the order of options, and applies to all asset types by default', async () => {
    const { status, body } = await sandbox.call<Definition>('POST /properties', {
      name: ' Colour ',
      type: 'SELECT',
      options: ['Red', ' Blue '],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: 'Colour',
      key: 'colour',
      type: 'SELECT',
      appliesTo: [...assetTypes],
      options: [
        { id: expect.any(String), label: 'Red', color: null, sortOrder: 0, archived: false },
        { id: expect.any(String), label: 'Blue', color: null, sortOrder: 1, archived: false },
      ],
      archived: false,
    });
    expect((await sandbox.call(`GET /properties/${body.id}`)).body).toEqual(body);
  });

  test.each(['SELECT', 'MULTI_SELECT', 'TEXT', 'NUMBER', 'DATE'])(
    'a new %s needs only a name and a type, and only a DATE gets dateRange',
    async (type) => {
      const made = await define(sandbox, type);
      expect(made).toMatchObject({ type, options: [] });
      expect(made.dateRange).toBe(type === 'DATE' ? false : undefined);
    },
  );

  test('duplicates in appliesTo are removed, and dateRange is stored', async () => {
    const made = await define(sandbox, 'DATE', {
      appliesTo: ['PROP', 'MODEL', 'PROP'],
      dateRange: true,
    });
    expect(made).toMatchObject({ appliesTo: ['MODEL', 'PROP'], dateRange: true });
  });

  test.each([
    ['a blank name', { name: '  ', type: 'TEXT' }],
    ['options for a DATE', { name: 'x', type: 'DATE', options: ['a'] }],
    ['a blank option', { name: 'x', type: 'SELECT', options: [' '] }],
    ['a duplicate option', { name: 'x', type: 'SELECT', options: ['a', ' a'] }],
    ['no asset type', { name: 'x', type: 'TEXT', appliesTo: [] }],
  ])('a new property with %s is refused', async (_title, body) => {
    expect(refusal(await sandbox.call('POST /properties', body))).toEqual(bad);
    expect(await names()).toEqual([]);
  });
});

describe('the key of a property', () => {
  test.each([
    ['Heel height (mm)', 'heel_height_mm'],
    ['  Größe ', 'große'],
    ['Café', 'cafe'],
    ['サイズ', 'サイズ'],
    ['!!!', 'property'],
  ])('the key of %j is %s', async (name, key) => {
    expect((await define(sandbox, 'TEXT', { name })).key).toBe(key);
  });

  test('a key that another property has, even an archived one, gets a number, and a rename keeps the key', async () => {
    const first = await define(sandbox, 'TEXT', { name: 'Size' });
    await sandbox.call(`DELETE /properties/${first.id}`);
    const second = await define(sandbox, 'TEXT', { name: 'size' });
    expect([first.key, second.key]).toEqual(['size', 'size_2']);
    const renamed = await sandbox.call(`PATCH /properties/${second.id}`, { name: 'Length' });
    expect(renamed.body).toEqual({ ...second, name: 'Length' });
    expect((await define(sandbox, 'TEXT', { name: 'Size' })).key).toBe('size_3');
  });
});

describe('changing a property', () => {
  test.each([
    ['an empty body', {}],
    ['a blank name', { name: ' ' }],
    ['archived: true, which DELETE does', { archived: true }],
    ['another type', { type: 'NUMBER' }],
    ['another type in addition to a name', { name: 'ok', type: 'NUMBER' }],
    ['another date range', { name: 'ok', dateRange: true }],
  ])('a change with %s is refused', async (_title, body) => {
    const made = await define(sandbox, 'DATE');
    expect(refusal(await sandbox.call(`PATCH /properties/${made.id}`, body))).toEqual(bad);
    expect((await sandbox.call(`GET /properties/${made.id}`)).body).toEqual(made);
  });

  test('an unchanged type and dateRange are accepted in a change', async () => {
    const { id } = await define(sandbox, 'DATE');
    const body = { name: 'Due', type: 'DATE', dateRange: false };
    expect((await sandbox.call(`PATCH /properties/${id}`, body)).status).toBe(200);
  });
});

describe('archive and restore', () => {
  test('archiving and restoring return the definition, and a property can be archived twice', async () => {
    const made = await define(sandbox, 'SELECT', { options: ['a'] });
    for (let round = 0; round < 2; round += 1) {
      const archived = await sandbox.call(`DELETE /properties/${made.id}`);
      expect(archived).toMatchObject({ status: 200, body: { ...made, archived: true } });
    }
    const restored = await sandbox.call(`PATCH /properties/${made.id}`, { archived: false });
    expect(restored.body).toEqual(made);
  });

  test('at most 30 properties are active', async () => {
    const made: Definition[] = [];
    for (let index = 0; index < 30; index += 1) {
      made.push(await define(sandbox, 'TEXT', { name: `p${index}` }));
    }
    const more = { name: 'more', type: 'TEXT' };
    expect(refusal(await sandbox.call('POST /properties', more))).toEqual(bad);
    const [first] = made;
    await sandbox.call(`DELETE /properties/${first?.id}`);
    expect((await sandbox.call('POST /properties', more)).status).toBe(201);
    const restore = { archived: false };
    expect(refusal(await sandbox.call(`PATCH /properties/${first?.id}`, restore))).toEqual(bad);
    expect((await sandbox.call(`PATCH /properties/${made[1]?.id}`, restore)).status).toBe(200);
    await sandbox.call(`DELETE /properties/${made[1]?.id}`);
    expect((await sandbox.call(`PATCH /properties/${first?.id}`, restore)).status).toBe(200);
  });
});

describe('the list', () => {
  test('the list is filtered by asset type, in the order of creation', async () => {
    await define(sandbox, 'TEXT', { name: 'models', appliesTo: ['MODEL'] });
    await define(sandbox, 'TEXT', { name: 'props', appliesTo: ['PROP'] });
    await define(sandbox, 'TEXT', { name: 'both', appliesTo: ['MODEL', 'PROP'] });
    expect(await names()).toEqual(['models', 'props', 'both']);
    expect(await names('?assetType=MODEL')).toEqual(['models', 'both']);
    expect(await names('?assetType=STYLE')).toEqual([]);
    for (const query of ['assetType=model', 'includeArchived=maybe']) {
      expect(refusal(await sandbox.call(`GET /properties?${query}`))).toEqual(bad);
    }
  });

  test('a reordered list starts with the given ids, followed by the others in their old order, including archived ones', async () => {
    const made: Definition[] = [];
    for (const name of ['a', 'b', 'c', 'd']) made.push(await define(sandbox, 'TEXT', { name }));
    const [a, b, c, d] = made.map(({ id }) => id);
    await sandbox.call(`DELETE /properties/${b}`);
    const reorder = (ids: unknown) => sandbox.call('POST /properties/reorder', { ids });
    const { status, body } = await reorder([d, b]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ properties: [{ name: 'd' }, { name: 'a' }, { name: 'c' }] });
    expect(await names('?includeArchived=true')).toEqual(['d', 'b', 'a', 'c']);
    for (const ids of [[], [a, a]]) {
      expect(refusal(await reorder(ids))).toEqual(bad);
    }
    expect(refusal(await reorder([c, 'none']))).toEqual(missing);
    expect(await names()).toEqual(['d', 'a', 'c']);
  });
});

describe('rights (5.6)', () => {
  const definitionChanges: [string, unknown][] = [
    ['POST /properties', { name: 'x', type: 'TEXT' }],
    ['PATCH /properties/{id}', { name: 'x' }],
    ['DELETE /properties/{id}', undefined],
    ['POST /properties/reorder', { ids: ['{id}'] }],
    ['POST /properties/{id}/options', { label: 'x' }],
    ['PATCH /properties/{id}/options/{option}', { label: 'x' }],
    ['POST /properties/{id}/options/merge', { fromOptionId: '{option}', intoOptionId: '{other}' }],
    ['POST /properties/{id}/convert-tag', { tagId: 'none' }],
  ];
  const forMembers: [string, unknown][] = [
    ['GET /properties', undefined],
    ['GET /properties/{id}', undefined],
    ['GET /assets/MODEL/{model}/properties', undefined],
    ['POST /assets/properties', { assetType: 'MODEL', ids: ['{model}'], unset: ['{id}'] }],
    ['POST /assets/search', { assetType: 'MODEL' }],
    ['GET /models?properties=[]', undefined],
  ];

  async function filled() {
    const made = await define(sandbox, 'SELECT', { options: ['a', 'b'] });
    const [option, other] = made.options.map(({ id }) => id);
    const ids: Record<string, string | undefined> = {
      '{id}': made.id,
      '{option}': option,
      '{other}': other,
      '{model}': await model(sandbox),
    };
    return (text: string) => text.replace(/\{\w+\}/g, (name) => ids[name] ?? name);
  }

  /** Sends all calls. Lists refusals by right or plan, and counts all other responses as not refused. */
  async function refusedOf(fill: (text: string) => string, calls: [string, unknown][]) {
    const refused: string[] = [];
    for (const [route, body] of calls) {
      const text = body === undefined ? undefined : fill(JSON.stringify(body));
      const answer = await sandbox.call(fill(route), text);
      if (answer.status !== 403) continue;
      expect(refusal(answer)).toEqual([403, 'PLAN_LIMIT_REACHED']);
      refused.push(route);
    }
    return refused;
  }

  const routes = (calls: [string, unknown][]) => calls.map(([route]) => route);

  test('a member reads definitions and writes values, but cannot change definitions', async () => {
    const fill = await filled();
    const before = (await sandbox.call(fill('GET /properties/{id}'))).body;
    await sandbox.control('/access', { role: 'member' });
    const refused = await refusedOf(fill, [...definitionChanges, ...forMembers]);
    expect(refused).toEqual(routes(definitionChanges));
    expect((await sandbox.call(fill('GET /properties/{id}'))).body).toEqual(before);
  });

  test.each(['owner', 'admin'])('an %s can use every operation', async (role) => {
    await sandbox.control('/access', { role });
    expect(await refusedOf(await filled(), [...definitionChanges, ...forMembers])).toEqual([]);
  });

  test('a plan without API access refuses properties, but not models', async () => {
    const fill = await filled();
    await sandbox.control('/access', { apiAccess: false });
    const calls = [...definitionChanges, ...forMembers];
    expect(await refusedOf(fill, calls)).toEqual(routes(calls));
    expect((await sandbox.call('GET /models')).status).toBe(200);
    await sandbox.control('/access', { apiAccess: true });
    expect((await sandbox.call('GET /properties')).status).toBe(200);
  });

  test('the control shows the rights and changes the given ones, and reset restores them', async () => {
    expect(await sandbox.control('/access', { role: 'member' })).toMatchObject({
      deny: null,
      role: 'member',
      apiAccess: true,
    });
    expect(await sandbox.control('/access', { apiAccess: false })).toMatchObject({
      role: 'member',
    });
    await sandbox.control('/reset', {});
    expect((await sandbox.call('POST /properties', { name: 'x', type: 'TEXT' })).status).toBe(201);
  });
});
