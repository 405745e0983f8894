// Every path of every listing: its verdict, channel and material.
import { describe, expect, test } from 'vitest';
import { planImport } from '../../src/textures/plan-import.ts';
import { type NameRow, nameListings } from './_name-listings.ts';
import { verdictsOf } from './_verdicts.ts';

describe('file names', () => {
  test.each([...nameListings()])(
    'the names of %s are classified by verdict, channel and material',
    (_title, rows) => {
      const verdicts = verdictsOf(planImport(rows.map(({ path }) => path)));
      const told = rows.map(
        ({ path }): NameRow => ({ path, class: 'lost', ...verdicts.get(path) }),
      );
      expect(told).toEqual(rows);
    },
  );
});
