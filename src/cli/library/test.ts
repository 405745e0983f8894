// `renderline/test`: plays the tests of pipelines, as `renderline test` does, for programs.
import { processEnvironment } from '../../settings/config.ts';
import type { Environment } from '../../settings/environment.ts';
import { Session } from '../session.ts';
import type { TestResult } from '../testing/play-test.ts';
import { testOnce } from '../testing/test-once.ts';
import { RenderlineError, told } from './renderline-error.ts';
import { silent } from './silent.ts';

export { RenderlineError };

/** One test: `outcome`, and of a failed one each expectation that was not met, with its place in the file. */
export type TestedPipeline = Omit<TestResult, 'runs'>;

export interface TestOptions {
  /** Only tests with this text in their name. */
  readonly only?: string;
  /** Folder that relative paths begin at. @default that of the process */
  readonly cwd?: string;
  /** Variables that pipelines may name. @default those of the process */
  readonly env?: Environment;
  /** Told what the command tells people on stderr. */
  readonly onNote?: (text: string) => void;
  /** Ends the tests; nothing that they started is left. */
  readonly signal?: AbortSignal;
}

/**
 * Plays the tests of these files, pipelines or folders. Failed tests are in the answer, and are no error.
 * @throws RenderlineError INVALID_TESTS, NO_TESTS, and where the server that skips time cannot be had
 */
export async function testPipelines(
  paths: readonly string[],
  {
    only,
    cwd = process.cwd(),
    env = processEnvironment(),
    onNote = () => {},
    signal,
  }: TestOptions = {},
): Promise<TestedPipeline[]> {
  return told(async () => {
    const session = new Session({ ...silent(onNote), env, cwd, now: Date.now }, true);
    const stop = signal ?? new AbortController().signal;
    const results = await testOnce(session, paths, { only }, stop);
    return results.map(({ runs: _runs, ...result }) => result);
  });
}
