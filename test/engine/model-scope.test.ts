// The models that a `modelScope` selects. A tag never selects models that do not carry it.
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  createScopeLister,
  type ModelScope,
} from '../../src/features/models/selection/model-scope.ts';
import { useWorkspace } from './_workspace.ts';

const workspace = useWorkspace();
let ids: Record<string, string> = {};
const property = 'Renderline nightly';

const list = (scope: z.output<typeof ModelScope>, mayWrite = true) =>
  workspace.at.list((context) => createScopeLister(scope, context), null, mayWrite);

beforeAll(async () => {
  const { at } = workspace;
  ids = {
    ...(await at.models(['Chair', 'Lamp'])),
    ...(await at.models(['Sofa'], 'APPROVED')),
    ...(await at.models(['Draft'], 'ANALYZING')),
  };
  await at.client.createProperty({
    body: { name: property, type: 'MULTI_SELECT', appliesTo: ['MODEL'] },
  });
});

const idOf = (name: string) => ids[name] ?? '';
const carry = (name: string, ...tagIds: string[]) =>
  workspace.at.set(`models/${idOf(name)}/tags`, { tagIds });

describe('a model scope', () => {
  it('a scope of all models selects those with the status READY or APPROVED', async () => {
    const { names, requests } = await list({ type: 'all' });
    expect(names).toEqual(['Chair', 'Lamp', 'Sofa']);
    expect(requests).toEqual({ listModels: 2 });
  });

  it('a scope of ids reports each model that is missing or not ready', async () => {
    const modelIds = [idOf('Sofa'), idOf('Draft'), 'model-none'];
    const { names, refused } = await list({ type: 'manual', modelIds });
    expect(names).toEqual(['Sofa']);
    expect(refused).toEqual(['MODEL_NOT_FOUND model-none', `MODEL_NOT_READY ${idOf('Draft')}`]);
  });
});

describe('a model scope of tags', () => {
  it('the scope selects the ready models that have one of the tags, and drops those that no longer do', async () => {
    const season = await workspace.at.tag('Season');
    const scope: z.output<typeof ModelScope> = { type: 'tag', tagIds: [season], property };
    for (const name of ['Chair', 'Sofa', 'Draft']) await carry(name, season);
    const first = await list(scope);
    expect(first.names).toEqual(['Chair', 'Sofa']);
    expect(first.requests).toEqual({
      listProperties: 2,
      listModels: 3,
      convertTagToPropertyOption: 1,
    });

    await carry('Chair');
    await carry('Lamp', season);
    const second = await list(scope);
    expect(second.names).toEqual(['Lamp', 'Sofa']);
    expect(second.requests).toMatchObject({ setAssetProperties: 1 });
  });

  it("`plan` only reads the scope: it changes no properties and shows the last run's models", async () => {
    const season = await workspace.at.tag('Season');
    await carry('Chair', season);
    const planned = await list({ type: 'tag', tagIds: [season], property }, false);
    expect(planned.names).toEqual(['Lamp', 'Sofa']);
    expect(planned.requests).toEqual({ listProperties: 2, listModels: 2 });
  });

  it('a scope of several tags selects all models that have any of them', async () => {
    const [one, other] = [await workspace.at.tag('One'), await workspace.at.tag('Other')];
    const { client } = workspace.at;
    await client.createProperty({ body: { name: 'Renderline both', type: 'MULTI_SELECT' } });
    await carry('Chair', one, other);
    await carry('Lamp', other);
    const both = await list({ type: 'tag', tagIds: [one, other], property: 'renderline both' });
    expect(both.names).toEqual(['Chair', 'Lamp']);
  });

  it.each([
    ['an unknown tag', 'tag-none', property, 'TAG_NOT_FOUND', 'of the node begin'],
    ['a tag that no model has', 'Empty', property, 'TAG_WITHOUT_MODELS', 'of the node begin'],
    [
      'an unknown property',
      'Empty',
      'Renderline nihgtly',
      'PROPERTY_NOT_FOUND',
      `did you mean "${property}"?`,
    ],
  ])('the scope refuses %s', async (_, tag, name, code, said) => {
    const { at } = workspace;
    const tagIds = [tag === 'tag-none' ? tag : await at.tag(tag)];
    const scope = { type: 'tag' as const, tagIds, property: name };
    await expect(list(scope)).rejects.toMatchObject({
      runCause: { code, message: expect.stringContaining(said) },
    });
  });

  it.each([
    ['Season', 'MULTI_SELECT', ['Winter', 'Summer']],
    ['Renderline choice', 'SELECT', ['Winter']],
    ['Renderline text', 'TEXT', []],
  ] as const)(
    'the scope refuses the property %s, a %s, and clears nothing',
    async (name, type, options) => {
      const { at } = workspace;
      const { id, options: made = [] } = await at.client.createProperty({
        body: { name, type, ...(options.length > 0 ? { options: [...options] } : {}) },
      });
      const optionIds = made.slice(0, 1).map((option) => option.id);
      const value = type === 'TEXT' ? { text: 'mine' } : { optionIds };
      await at.client.setAssetProperties({
        body: {
          assetType: 'MODEL',
          ids: [idOf('Lamp')],
          set: [{ propertyId: id, ...value }],
          mode: 'REPLACE',
        },
      });
      const tagIds = [await at.tag('Season')];
      await expect(list({ type: 'tag', tagIds, property: name })).rejects.toMatchObject({
        runCause: { code: 'TAG_PROPERTY_REFUSED', message: expect.stringContaining(name) },
      });
      const properties = JSON.stringify([{ propertyId: id }]);
      expect((await at.client.listModels({ query: { properties } })).total).toBe(1);
    },
  );
});
