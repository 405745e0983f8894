// Refusals of a plan that are explained by the line of the colorway table.
import { expect, test } from 'vitest';
import { explainRefusals } from '../../../src/app/plan/slot-check.ts';

const code = 'COLORWAY_NO_SLOT' as const;
const refusal = (key: string) => ({ key, code, message: 'in the file', node: 'look', attempts: 1 });

test('a refusal gets the message of the first finding with its key and code', () => {
  const finding = { node: 'look', key: 'a', code };
  const findings = [
    { ...finding, code: 'SLOT_AMBIGUOUS' as const, message: 'line 1' },
    { ...finding, message: 'line 2' },
    { ...finding, message: 'line 3' },
  ];
  const refused = [refusal('a'), refusal('b')];
  expect(explainRefusals({ refused }, { inspected: 1, notInspected: 0, findings })).toEqual([
    { key: 'a', code, message: 'line 2' },
    { key: 'b', code, message: 'in the file' },
  ]);
  expect(explainRefusals({ refused }, null)[0]?.message).toBe('in the file');
});

test('each finding is read once, however many cells are refused', () => {
  let reads = 0;
  const keys = Array.from({ length: 500 }, (_, index) => `cell-${index}`);
  const findings = keys.map((name) => ({
    get key() {
      reads += 1;
      return name;
    },
    node: 'look',
    code,
    message: `line of ${name}`,
  }));
  const slots = { inspected: 1, notInspected: 0, findings };
  const explained = explainRefusals({ refused: keys.map(refusal) }, slots);
  expect(explained.at(-1)?.message).toBe('line of cell-499');
  expect(reads).toBe(500);
});
