// Ids of materials, each looked up once a run.
import { expect, it } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { RequestCounter } from '../../src/api/counter.ts';
import { MaterialNames } from '../../src/capabilities/variants/material-names.ts';

/** A library in which every material that is asked for is ready. */
function library() {
  const asked: string[][] = [];
  const checkMaterialStatus = ({ body }: { body: { materialIds: string[] } }) => {
    asked.push(body.materialIds);
    const materials = body.materialIds.map((materialId) => ({ materialId, status: 'ready' }));
    return Promise.resolve({ materials });
  };
  const names = new MaterialNames({ checkMaterialStatus } as unknown as Client);
  const resolve = (...ids: string[]) =>
    names.resolve(
      'run-1',
      ids.map((materialId) => ({ materialId })),
      new RequestCounter(),
    );
  return { asked, resolve };
}

it('asks only for what it does not know yet', async () => {
  const { asked, resolve } = library();
  await resolve('a', 'b');
  expect(await resolve('b', 'c', 'b')).toEqual(['b', 'c', 'b']);
  expect(await resolve('a', 'c')).toEqual(['a', 'c']);
  expect(asked).toEqual([['a', 'b'], ['c']]);
});

it('answers all choices, though what was remembered is forgotten meanwhile', async () => {
  const { resolve } = library();
  const many = Array.from({ length: 5_000 }, (_, index) => `m${index}`);
  await resolve(...many);
  expect(await resolve('m1', 'new', 'm2')).toEqual(['m1', 'new', 'm2']);
});
