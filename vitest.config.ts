import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/_closing-line.ts';
import { LongestFirst } from './test/_longest-first.ts';

// TESTING.md says what belongs where, and which command runs it.

// Packages of this repository as they are written, not as they were built.
const ssr = { resolve: { conditions: ['renderline-source', 'node', 'development|production'] } };

/** A process that starts or ends takes a moment, and on a busy machine seconds. */
const expect = { poll: { timeout: 30_000 } };

/** Tests without Temporal, in the test's own process. */
const inProcess = (name: string, include: string[], exclude: string[] = []) => ({
  ssr,
  test: {
    name,
    include,
    exclude,
    setupFiles: ['test/_properties.ts'],
    // Seconds on a machine that has time; one that is busy takes ten times as long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect,
    // No module keeps state, so loading all modules once halves the time.
    isolate: false,
    maxWorkers: 3,
  },
});

/** With a sandbox, with processes, or so slow that `npm run check` does not wait for them. */
const platform = [
  'test/engine/*.test.ts',
  'test/activities/attempt-lease.test.ts',
  'test/cli/{pipeline-commands,sandbox}.test.ts',
  'test/compile/editor.test.ts',
  'test/connectors/swapped-folders.test.ts',
  'test/report/contact-sheet.test.ts',
  'test/store/processes.test.ts',
  'test/temporal/{connect,shared-allowance}.test.ts',
  'test/workflows/bundle.test.ts',
];

/** Scenarios that measure time: beside other tests the time-skipping server is too slow. */
const alone = ['test/extended/window.test.ts'];

interface Part {
  name: string;
  maxWorkers: number;
  groupOrder: number;
  include?: string[];
  exclude?: string[];
}

/** Tests with a real Temporal server. */
const withTemporal = ({ name, maxWorkers, groupOrder, ...files }: Part) => ({
  test: {
    name,
    include: [`test/${name}/*.test.ts`],
    ...files,
    globalSetup: ['test/system/_setup.ts'],
    setupFiles: ['test/system/_silence.ts'],
    // Loading Temporal's SDK and our own code for each file takes longer than many tests.
    isolate: false,
    // The built program and packages, as Node itself loads them.
    server: { deps: { external: [/\/dist\//] } },
    // None waits for longer than seconds; a machine that builds and tests at once takes ten times as long.
    testTimeout: 400_000,
    hookTimeout: 600_000,
    expect,
    // They wait more than they work. Vitest wants projects of other numbers one after the other.
    maxWorkers,
    sequence: { groupOrder },
  },
});

export default defineConfig({
  test: {
    reporters: [process.env['CI'] ? 'dot' : 'default', new ClosingLine()],
    sequence: { sequencer: LongestFirst },
    projects: [
      inProcess('unit', ['test/**/*.test.ts'], [...platform, 'test/{system,extended}/**']),
      inProcess('platform', platform),
      inProcess('sandbox', ['packages/sandbox/test/**/*.test.ts']),
      withTemporal({ name: 'system', maxWorkers: 8, groupOrder: 1 }),
      // More processes than these leave servers that skip time no room.
      withTemporal({ name: 'extended', maxWorkers: 4, groupOrder: 2, exclude: alone }),
      withTemporal({ name: 'alone', maxWorkers: 1, groupOrder: 3, include: alone }),
    ],
  },
});
