// Tests a namespace without room for all search attributes: those that fit are added, and runs work without the others.
import type { Connection } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { readSearchAttributeSupport } from '../../src/app/runs/start-run.ts';
import type { TemporalConnection } from '../../src/temporal/connection/connect.ts';
import { ensureSearchAttributes } from '../../src/temporal/search-attributes.ts';

const list = 7;
const maxLists = 3;
const full =
  'Unable to create search attributes: cannot have more than 3 search attribute of type KeywordList.';

/** A server on SQL that already has this number of lists of another application. */
function serverWith(foreign: number) {
  const there: Record<string, number> = {};
  for (let at = 0; at < foreign; at += 1) there[`Foreign${at}`] = list;
  const operatorService = {
    listSearchAttributes: async () => ({ customAttributes: { ...there } }),
    async addSearchAttributes({ searchAttributes }: { searchAttributes: Record<string, number> }) {
      const after = { ...there, ...searchAttributes };
      if (Object.values(after).filter((type) => type === list).length > maxLists) {
        throw Object.assign(new Error(`3 INVALID_ARGUMENT: ${full}`), { code: 3, details: full });
      }
      Object.assign(there, searchAttributes);
    },
  };
  const connection = {
    operatorService,
    withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
  } as unknown as Connection;
  const client = { options: { loadedDataConverter: { payloadCodecs: [] } } };
  const temporal = { connection, namespace: 'team', client } as unknown as TemporalConnection;
  return { there, connection, temporal };
}

const [keys, models, colorways] = [
  'RenderlineFailedKeys',
  'RenderlineFailedModels',
  'RenderlineColorways',
];

describe('a namespace with list attributes of another application', () => {
  test.each([
    [0, [], { searchable: true, hasPositionAttribute: true }],
    [1, [colorways], { searchable: true }],
    [2, [models, colorways], { searchable: true, missingSearchAttributes: [models] }],
    [3, [keys, models, colorways], { searchable: true, missingSearchAttributes: [keys, models] }],
  ])(
    'a namespace with %d of three lists in use gets as many lists as fit, and runs omit the rest',
    async (foreign, without, search) => {
      const { there, connection, temporal } = serverWith(foreign);
      const report = await ensureSearchAttributes(connection, 'team');
      const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name);
      expect(namesOf(report.overLimit)).toEqual(without);
      expect(namesOf(report.missing)).toEqual(without);
      expect(report.reason).toBe(without.length === 0 ? '' : full);
      expect(there).toMatchObject({ RenderlinePipeline: 2, RenderlineOutcome: 2 });
      expect(await readSearchAttributeSupport(temporal)).toEqual(search);
      const again = await ensureSearchAttributes(connection, 'team');
      expect([again.added, namesOf(again.overLimit)]).toEqual([[], without]);
    },
  );

  test('a namespace without any of our attributes is not searched', async () => {
    expect(await readSearchAttributeSupport(serverWith(0).temporal)).toEqual({ searchable: false });
  });
});
