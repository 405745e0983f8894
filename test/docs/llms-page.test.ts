// What an AI assistant reads about Renderline.
import { expect, test } from 'vitest';
import { llmsPage } from '../../src/docs/llms-page.ts';
import { exitCode } from '../../src/failures/exit-code.ts';

test('names every exit code with which a run can end', () => {
  const line = llmsPage()
    .split('\n')
    .find((one) => one.includes('renderline run FILE --wait'));
  const named = [...(line ?? '').matchAll(/\b(\d+) [a-z]/g)].map(([, code]) => Number(code));
  const { interrupted: _signal, ...others } = exitCode;
  expect(named).toEqual(Object.values(others));
});
