// The open tables of a run are kept between its discovery pages.
import { expect, it } from 'vitest';
import { dropRowsOfRun, openRowsOfRun } from '../../src/engine/rows/open-rows.ts';

it('a failed opening does not drop newer tables', async () => {
  let failFirst = (_error: Error) => {};
  const first = new Promise<null>((_, reject) => {
    failFirst = reject;
  });
  const failed = openRowsOfRun('r-1', () => first);
  dropRowsOfRun('r-1');
  const newer = openRowsOfRun('r-1', async () => null);
  failFirst(new Error('too late'));
  await expect(failed).rejects.toThrow('too late');
  expect(openRowsOfRun('r-1', async () => null)).toBe(newer);
  dropRowsOfRun('r-1');
});
