// Choices of a parameter from the workspace. An item is listed by its name if nodes find only that item by the name.
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import { createPollerContext } from '../../src/engine/polling/poller-context.ts';
import { type ChoicesFrom, listChoices } from '../../src/features/choices.ts';

interface Workspace {
  templates?: { templateId: string; name?: string }[];
  materials?: { materialId: string; name?: string }[];
  properties?: object[];
}

/** Lists of a workspace, its requests, and its clock. */
function workspace({ templates = [], materials = [], properties = [] }: Workspace) {
  const requests: string[] = [];
  const clock = { nowMs: 0 };
  const answer = <T>(request: string, output: T): Promise<T> => {
    requests.push(request);
    return Promise.resolve(output);
  };
  const client = {
    listTemplates: () => answer('templates', { templates }),
    listMaterials: ({ query: { offset, limit } }: { query: { offset: number; limit: number } }) =>
      answer('materials', {
        materials: materials.slice(offset, offset + limit),
        total: materials.length,
      }),
    listProperties: () => answer('properties', { properties }),
  } as unknown as Client;
  const pollerContext = createPollerContext(client, () => clock.nowMs);
  const list = (from: ChoicesFrom) =>
    listChoices(from, {
      pollerContext,
      run: { run: 'one' },
      requests: new RequestCounter(),
      signal: new AbortController().signal,
    });
  return { list, requests, clock };
}

const property = (id: string, key: string, name: string, options: object[] = []) => ({
  id,
  key,
  name,
  type: 'SELECT',
  options,
});
const seasons = property('p1', 'season', 'Season', [
  { id: 'o1', label: 'Spring' },
  { id: 'o2', label: 'Autumn', archived: true },
  { id: 'o3', label: 'spring' },
  { id: 'o4', label: 'Winter' },
]);

describe('parameter choices', () => {
  it.each<[string, ChoicesFrom, Workspace, [value: string, name: string][]]>([
    [
      'a template by its name',
      { from: 'templates' },
      { templates: [{ templateId: 't1', name: 'Studio White' }] },
      [['Studio White', 'Studio White']],
    ],
    [
      'templates by their ids if they share a name or have none',
      { from: 'templates' },
      {
        templates: [
          { templateId: 't1', name: 'Twin' },
          { templateId: 't2', name: 'twin' },
          { templateId: 't3' },
        ],
      },
      [
        ['t1', 'Twin'],
        ['t2', 'twin'],
        ['t3', 't3'],
      ],
    ],
    [
      'a template by its own id if its name is the id of another one',
      { from: 'templates' },
      {
        templates: [
          { templateId: 't1', name: 't2' },
          { templateId: 't2', name: 'Hero' },
        ],
      },
      [
        ['t1', 't2'],
        ['Hero', 'Hero'],
      ],
    ],
    [
      'materials by name, without those whose name is missing or shared',
      { from: 'materials' },
      {
        materials: [
          { materialId: 'm1', name: 'Oak' },
          { materialId: 'm2', name: 'Twin' },
          { materialId: 'm3', name: 'Twin' },
          { materialId: 'm4' },
        ],
      },
      [['Oak', 'Oak']],
    ],
    [
      'a property by its id if its name is the key of another one',
      { from: 'properties' },
      { properties: [seasons, property('p2', 'colour', 'season')] },
      [
        ['p1', 'Season'],
        ['p2', 'season'],
      ],
    ],
    [
      'the options of a property, without archived ones',
      { from: 'properties', property: 'Season' },
      { properties: [seasons] },
      [
        ['o1', 'Spring'],
        ['o3', 'spring'],
        ['Winter', 'Winter'],
      ],
    ],
  ])('choices contain %s', async (_what, from, lists, choices) => {
    const listed = await workspace(lists).list(from);
    expect(listed.choices.map(({ value, name }) => [value, name])).toEqual(choices);
    expect(listed.hasMore).toBe(false);
  });

  it.each([
    [200, 2, false],
    [201, 3, true],
    [5_000, 3, true],
  ])(
    'the choices among %i materials are the 200 newest, read in %i requests',
    async (number, count, hasMore) => {
      const materials = Array.from({ length: number }, (_, at) => ({
        materialId: `m${at}`,
        name: `Paint ${at}`,
      }));
      const { list, requests } = workspace({ materials });
      const listed = await list({ from: 'materials' });
      expect([listed.choices.length, listed.hasMore, requests.length]).toEqual([
        200,
        hasMore,
        count,
      ]);
      expect(listed.choices[0]?.value).toBe('Paint 0');
    },
  );
});

it.each(['templates', 'materials'] as const)(
  'a list of %s is read at most once per minute',
  async (from) => {
    const { list, requests, clock } = workspace({});
    await Promise.all([list({ from }), list({ from })]);
    clock.nowMs = 59_999;
    await list({ from });
    expect(requests).toEqual([from]);
    clock.nowMs = 60_000;
    await list({ from });
    expect(requests).toEqual([from, from]);
  },
);
