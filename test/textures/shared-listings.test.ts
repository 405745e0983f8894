// Checks class, channel and grouping of every path of real listings, and prints the score.
import { describe, expect, test } from 'vitest';
import { planImport } from '../../src/textures/plan-import.ts';
import { hasSharedData } from '../glb/_shared-data.ts';
import { type ListingRow, sharedListings } from './_shared-listings.ts';
import { verdictsOf } from './_verdicts.ts';

/** The rows that a plan gets wrong, one per line. */
function mistakes(rows: readonly ListingRow[]): { row: ListingRow; line: string }[] {
  const verdicts = verdictsOf(planImport(rows.map(({ path }) => path)));
  const groups = new Map<string, string>();
  const names = new Map<string, string>();
  return rows.flatMap((row) => {
    const verdict = verdicts.get(row.path);
    const { class: wanted, channel, group } = row.expect;
    const told = `${row.case}: ${row.path} is ${JSON.stringify(verdict)}, not ${JSON.stringify(row.expect)}`;
    if (verdict?.class !== wanted || verdict.channel !== channel) return [{ row, line: told }];
    if (verdict.material === undefined || group === undefined) return [];
    // Compares the grouping, not the label: one material per group and vice versa.
    const name = groups.get(group) ?? verdict.material;
    const back = names.get(verdict.material) ?? group;
    groups.set(group, name);
    names.set(verdict.material, back);
    return name === verdict.material && back === group ? [] : [{ row, line: told }];
  });
}

describe.skipIf(!hasSharedData)('shared listings', () => {
  const listings = sharedListings();

  test.each([...listings])(
    'planImport() makes no mistakes with the shared listing %s',
    (_case, rows) => {
      expect(mistakes(rows).map(({ line }) => line)).toEqual([]);
    },
  );

  test('the score is printed', () => {
    const rows = [...listings.values()].flat();
    const wrong = [...listings.values()].flatMap(mistakes);
    const strict = rows.filter(({ policy }) => policy === undefined).length;
    const strictWrong = wrong.filter(({ row }) => row.policy === undefined).length;
    console.info(
      `Texture names: ${rows.length - wrong.length} of ${rows.length} right; ` +
        `without matters of policy ${strict - strictWrong} of ${strict}.`,
    );
    expect(rows.length).toBeGreaterThan(100);
  });
});
