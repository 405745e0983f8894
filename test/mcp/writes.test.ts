// Tools that write: allowed only with the flag; refusals of the platform become tool errors.
import { describe, expect, test } from 'vitest';
import { operationTools } from '../../src/mcp/operation-tools.ts';
import { connect, textOf } from './_connect.ts';

const writing = operationTools.filter(({ permission }) => permission === 'writes');

test('there are tools that write', () => {
  expect(writing.length).toBeGreaterThan(5);
});

test.each(writing.map(({ name }) => name))(
  'the tool %s is refused without the flag that allows writes',
  async (name) => {
    const { agent } = await connect('stdio');
    const { tools } = await agent.listTools();
    expect(tools.find((tool) => tool.name === name)?.description).toContain('--allow-writes');
    const result = await agent.callTool({ name, arguments: {} });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^WRITES_NOT_ALLOWED: .*Nothing was sent.*--allow-writes/);
  },
);

describe('with the flag that allows writes', () => {
  test('a property can be created, archived, restored and found by name', async () => {
    const { agent } = await connect('stdio', { allowWrites: true });
    const call = async (name: string, given: Record<string, unknown>) =>
      (await agent.callTool({ name, arguments: given })).structuredContent as {
        id: string;
        archived: boolean;
        properties?: { id: string }[];
      };
    const { id } = await call('create_property', {
      name: 'Season',
      type: 'SELECT',
      options: ['Winter'],
    });
    expect((await call('archive_property', { id })).archived).toBe(true);
    expect((await call('list_properties', {})).properties).toEqual([]);
    expect((await call('archive_property', { id, archived: false })).archived).toBe(false);
    expect((await call('list_properties', {})).properties).toMatchObject([{ id }]);
    expect((await call('archive_property', { id, archived: true })).archived).toBe(true);
  });

  test.each([
    ['get_property', { id: 'prop_none' }, /^NOT_FOUND: /],
    ['get_property', {}, /^VALIDATION_ERROR: .*id/],
    ['archive_property', { id: 'x', archived: 'no' }, /^VALIDATION_ERROR: archived/],
    ['create_property', { name: 'x' }, /^VALIDATION_ERROR: .*type/],
    ['create_property', { name: 'x', type: 'TEXT', options: ['a'] }, /^VALIDATION_ERROR: /],
    ['search_assets_by_properties', { assetType: 'SHOE', properties: [] }, /^VALIDATION_ERROR: /],
  ])('%s with the arguments %j is a tool error', async (name, given, message) => {
    const { agent } = await connect('stdio', { allowWrites: true });
    const result = await agent.callTool({ name, arguments: given });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(message);
  });

  test('an error has the same code and message as in the REST API', async () => {
    const { agent, sandbox } = await connect('stdio', { allowWrites: true });
    const response = await fetch(`${sandbox.url}/properties/prop_none`, {
      headers: { 'x-api-key': sandbox.apiKey },
    });
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    const result = await agent.callTool({ name: 'get_property', arguments: { id: 'prop_none' } });
    expect(textOf(result)).toBe(`${error.code}: ${error.message}`);
  });

  test('filters of list_models may be lists', async () => {
    const { agent } = await connect('stdio');
    const given = { properties: [{ propertyId: 'prop_none' }] };
    const result = await agent.callTool({ name: 'list_models', arguments: given });
    expect(textOf(result)).toMatch(/prop_none/);
  });
});

test.each([
  ['list_properties', true, false, true],
  ['search_assets_by_properties', true, false, true],
  ['create_property', false, false, false],
  ['update_property', false, true, true],
  ['archive_property', false, true, true],
  ['merge_property_options', false, true, false],
  ['set_asset_properties', false, true, true],
])(
  'the tool %s is read-only: %s, destructive: %s, idempotent: %s',
  (name, reads, destroys, repeats) => {
    const tool = operationTools.find((one) => one.name === name);
    expect(tool?.annotations).toMatchObject({
      readOnlyHint: reads,
      destructiveHint: destroys,
      idempotentHint: repeats,
    });
  },
);
