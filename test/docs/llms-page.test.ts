// The page for AI assistants.
import { expect, test } from 'vitest';
import { formatLlmsPage } from '../../scripts/docs/llms-page.ts';
import { exitCode } from '../../src/failures/exit-code.ts';

test('the page contains every exit code of a run', () => {
  const line = formatLlmsPage()
    .split('\n')
    .find((one) => one.includes('renderline run FILE --wait'));
  const named = [...(line ?? '').matchAll(/\b(\d+) [a-z]/g)].map(([, code]) => Number(code));
  const { interrupted: _signal, ...others } = exitCode;
  expect(named).toEqual(Object.values(others));
});
