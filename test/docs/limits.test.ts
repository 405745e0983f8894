// Every row in the table of limits has a bound and an effect, and all codes exist.
import { describe, expect, it } from 'vitest';
import { formatLimitsPage } from '../../scripts/docs/limits.ts';
import { problemCodes } from '../../src/language/problem-codes.ts';

const rows = formatLimitsPage()
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| input |'));

describe('limits', () => {
  it('each limit is listed exactly once', () => {
    const inputs = rows.map((row) => row.split(' | ')[0]);
    expect(new Set(inputs).size).toBe(inputs.length);
    expect(rows.length).toBeGreaterThan(30);
  });

  it.each(rows)('the row of the limit %s is complete', (row) => {
    const [, , bound = '', above = ''] = row.split('|').map((cell) => cell.trim());
    expect(bound).toMatch(/\d/);
    expect(above).not.toBe('');
    for (const [name] of above.matchAll(/RL\d+/g)) expect(problemCodes).toHaveProperty(name);
  });
});
