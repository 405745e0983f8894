// Properties, options and values that rows start from. Responses of writes are undocumented, so values are read back.
import { expect } from 'vitest';
import type { z } from 'zod';
import type { Platform } from './_platform.ts';
import { AssetPage, Properties, type Property } from './_shapes-library.ts';

export type Definition = z.output<typeof Property>;

export async function definitions(p: Platform, query = '?includeArchived=true') {
  return (await p.ok(`GET /properties${query}`, Properties)).properties;
}

let counter = 0;

/** A new property with a unique name, as the list shows it; archived when the row ends. */
export async function createProperty(
  p: Platform,
  type: Definition['type'],
  more: object = {},
): Promise<Definition> {
  counter += 1;
  const name = `Conformance ${type} ${Date.now()}-${counter}`;
  const answer = await p.send('POST /properties', { body: { name, type, ...more } });
  expect(answer.status, answer.text).toBeLessThan(300);
  const found = (await definitions(p)).find((property) => property.name === name);
  if (!found) throw new Error(`The property ${name} is in no list.`);
  // The number of active properties is limited, and none can be deleted.
  p.afterRow(() => p.send(`DELETE /properties/${found.id}`));
  return found;
}

/** The current definition of a property. */
export async function read(p: Platform, id: string): Promise<Definition> {
  const found = (await definitions(p)).find((property) => property.id === id);
  if (!found) throw new Error(`The property ${id} is in no list.`);
  return found;
}

/** Ids of the options, by label. */
export function optionIds(property: Definition): Readonly<Record<string, string>> {
  return Object.fromEntries((property.options ?? []).map(({ label, id }) => [label, id]));
}

/** Writes values. The write must succeed. */
export async function write(p: Platform, ids: readonly string[], more: object) {
  const body = { assetType: 'MODEL', ids, ...more };
  const answer = await p.send('POST /assets/properties', { body });
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body).toMatchObject({ updated: expect.any(Number) });
  return answer;
}

/** Ids of the matching models: filters are the only documented way to see values. */
export async function search(p: Platform, properties: readonly object[]): Promise<string[]> {
  const body = { assetType: 'MODEL', properties, limit: 100 };
  const { assets, total } = await p.ok('POST /assets/search', AssetPage, body);
  expect(total).toBe(assets.length);
  return assets.map(({ id }) => id).toSorted();
}

/** Returns whether a model has a value that the filter finds. */
export async function holds(p: Platform, modelId: string, filter: object): Promise<boolean> {
  return (await search(p, [filter])).includes(modelId);
}
