// Runs tests and prints each result as the test ends, then the counts.
import { checkAndRunTests, type TestFlags } from '../../app/testing/check-and-run-tests.ts';
import type { TestResult } from '../../app/testing/run-test.ts';
import type { Session } from '../session.ts';
import { formatResult, formatSummary } from './format.ts';

/** @param stop when aborted, stops the tests and everything that they started */
export async function reportTests(
  session: Session,
  paths: readonly string[],
  flags: TestFlags,
  stop: AbortSignal,
): Promise<TestResult[]> {
  const { output } = session;
  const onResult = (result: TestResult) => {
    if (!output.json) output.raw(formatResult(result, output.paint));
  };
  const { results, shape } = await checkAndRunTests(session, paths, { ...flags, onResult }, stop);
  output.result(shape, () => `\n${formatSummary(results, shape.ms, output.paint)}`);
  return results;
}
