// `renderline/test`: runs the tests of pipelines, as `renderline test` does.

import { processEnvironment } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { App } from '../app.ts';
import { RenderlineError, withRenderlineErrors } from '../renderline-error.ts';
import { checkAndRunTests } from './check-and-run-tests.ts';
import type { PipelineTestResult } from './check-expectations.ts';

export { type PipelineTestResult, RenderlineError };

export interface TestOptions {
  /** Runs only tests whose names contain this text. */
  readonly only?: string;
  /** Base folder of relative paths. @default working directory of the process */
  readonly cwd?: string;
  /** Environment variables that pipelines may use. @default those of the process */
  readonly env?: Environment;
  /** Receives what the command prints on stderr. */
  readonly onNote?: (text: string) => void;
  /** Aborts the tests and stops everything that they started. */
  readonly signal?: AbortSignal;
}

/**
 * Runs the tests of test files, pipelines or folders. Failed tests are part of the result and do not throw.
 * @throws RenderlineError ENOENT, INVALID_TESTS, NO_TESTS, or if the time-skipping Temporal server is not available
 */
export async function testPipelines(
  paths: readonly string[],
  options: TestOptions = {},
): Promise<PipelineTestResult[]> {
  const { only, cwd = process.cwd(), env = processEnvironment(), onNote, signal } = options;
  return withRenderlineErrors(async () => {
    const app = new App({ env, cwd, onNote, signal });
    const { results } = await checkAndRunTests(app, paths, { only }, app.signal);
    return results.map(({ runs: _runs, ...result }) => result);
  });
}
