// Ids of materials: each is searched for once per run.
import { expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import { MaterialNameResolver } from '../../src/features/variants/material-name-resolver.ts';

/** A library in which every requested material is ready. */
function library() {
  const asked: string[][] = [];
  const checkMaterialStatus = ({ body }: { body: { materialIds: string[] } }) => {
    asked.push(body.materialIds);
    const materials = body.materialIds.map((materialId) => ({ materialId, status: 'ready' }));
    return Promise.resolve({ materials });
  };
  const names = new MaterialNameResolver({ checkMaterialStatus } as unknown as Client);
  const resolve = (...ids: string[]) =>
    names.resolve(
      'run-1',
      ids.map((materialId) => ({ materialId })),
      new RequestCounter(),
    );
  return { asked, resolve };
}

it('only materials that are not yet cached are requested', async () => {
  const { asked, resolve } = library();
  await resolve('a', 'b');
  expect(await resolve('b', 'c', 'b')).toEqual(['b', 'c', 'b']);
  expect(await resolve('a', 'c')).toEqual(['a', 'c']);
  expect(asked).toEqual([['a', 'b'], ['c']]);
});

it('all choices are resolved even if cached ids are evicted in the meantime', async () => {
  const { resolve } = library();
  const many = Array.from({ length: 5_000 }, (_, index) => `m${index}`);
  await resolve(...many);
  expect(await resolve('m1', 'new', 'm2')).toEqual(['m1', 'new', 'm2']);
});

type Window = Partial<Record<'limit' | 'offset', number>>;

/** A library that compares names byte by byte, as a search of the platform may. */
function named(...all: string[]) {
  const searches: string[] = [];
  const listMaterials = ({ query }: { query: Partial<Record<'search', string>> & Window }) => {
    const { search = '', limit = 100, offset = 0 } = query;
    searches.push(search);
    const found = all
      .map((name, at) => ({ materialId: `m${at}`, name }))
      .filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));
    const materials = found.slice(offset, offset + limit);
    return Promise.resolve({ materials, total: found.length, limit, offset });
  };
  const checkMaterialStatus = ({ body }: { body: { materialIds: string[] } }) => {
    const materials = body.materialIds.map((materialId) => ({
      materialId,
      status: all[Number(materialId.slice(1))]?.startsWith('New') ? 'processing' : 'ready',
    }));
    return Promise.resolve({ materials });
  };
  const getMaterial = ({ params: { materialId } }: { params: { materialId: string } }) =>
    Promise.resolve({ materialId, name: all[Number(materialId.slice(1))] });
  const client = { listMaterials, checkMaterialStatus, getMaterial } as unknown as Client;
  const names = new MaterialNameResolver(client);
  const resolve = (...materials: string[]) =>
    names.resolve(
      'run-1',
      materials.map((material) => ({ material })),
      new RequestCounter(),
    );
  return { searches, resolve };
}

const composed = 'Gr\u00fcn';
const decomposed = 'Gru\u0308n';

it.each([
  [composed, decomposed],
  [decomposed, composed],
])('the name of a material in %j form is found in the other Unicode form', async (asked, there) => {
  expect(await named('Oak', there).resolve(asked, 'Oak')).toEqual(['m1', 'm0']);
});

it('the requested form wins if a library has both', async () => {
  expect(await named(composed, decomposed).resolve(decomposed)).toEqual(['m1']);
});

it('a plain name is requested only once, whether or not it exists', async () => {
  const { searches, resolve } = named('Oak');
  await resolve('Oak');
  await expect(resolve('Elm')).rejects.toThrow('no material is named "Elm"');
  expect(searches).toEqual(['Oak', 'Elm']);
});

it('all unknown names are reported together, with their differences from similar names', async () => {
  const wrong = ['Off\u00a0White', 'Off  White', 'Walnut\u200b', 'walnut', 'Elm'];
  await expect(named('Off White', 'Walnut').resolve('Walnut', ...wrong)).rejects.toMatchObject({
    runCause: {
      code: 'MATERIAL_NOT_FOUND',
      message: [
        'no material is named "Off\u00a0White"; did you mean "Off White"? (only an invisible character differs: U+00A0 at position 4)',
        'no material is named "Off  White"; did you mean "Off White"? (only a space differs: at position 5)',
        'no material is named "Walnut\u200b"; did you mean "Walnut"? (only an invisible character differs: U+200B at position 7)',
        'no material is named "walnut"; did you mean "Walnut"? (only upper and lower case differ)',
        'no material is named "Elm"',
      ].join('; '),
    },
  });
});

it.each(['#abc', '#0c2340', 'rgb(1, 2, 3)', 'RAL 5010', 'ral-9003 matt'])(
  'the colour %s is not a material, and the message says how to get one',
  async (color) => {
    const message = `"${color}", and a material is expected, not a colour value: create a material`;
    await expect(named('Oak').resolve(color)).rejects.toThrow(message);
  },
);

const numbered = (start: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${start} ${at}`);

it('only the first of many unknown names are reported, and the search stops after fifty', async () => {
  const { searches, resolve } = named(...numbered('Oak', 9_000));
  await expect(resolve(...numbered('Wrong', 80))).rejects.toThrow(/"Wrong 19"; and 30 more$/);
  // The first request finds that a list would need more requests than the searches.
  expect(searches).toHaveLength(1 + 50);
});

const oaks = ['Oak 0', 'Oak 11', 'Oak 12', 'Oak 13'];

it.each([
  { names: oaks, librarySize: 99, requests: [''] },
  { names: oaks, librarySize: 100, requests: [''] },
  { names: oaks, librarySize: 250, requests: ['', '', '', ''] },
  { names: oaks, librarySize: 301, requests: ['', ...oaks] },
  { names: oaks.slice(2), librarySize: 50, requests: oaks.slice(2) },
])(
  '$names.length names in a library of $librarySize are found with $requests.length requests',
  async ({ names, librarySize, requests }) => {
    const { searches, resolve } = named(...numbered('Oak', librarySize));
    expect(await resolve(...names)).toEqual(names.map((name) => name.replace('Oak ', 'm')));
    expect(searches).toEqual(requests);
  },
);

it('all materials that are not ready are reported together', async () => {
  const library = named('New oak', 'Oak', 'New elm');
  await expect(library.resolve('New oak', 'Oak', 'New elm')).rejects.toThrow(
    /New oak \(m0\) is processing.*New elm \(m2\) is processing/,
  );
});
