import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/_closing-line.ts';
import { LongestFirst } from './test/_longest-first.ts';

// unit: pure or in-process, what `npm run check` runs. platform: with a sandbox in the same process, whole tables of
// cases. system: real Temporal, real processes.
const platform = ['conformance', 'engine', 'sandbox'].map((folder) => `test/${folder}/**`);

// Packages of this repository as they are written, not as they were built.
const ssr = { resolve: { conditions: ['renderline-source', 'node', 'development|production'] } };

const inProcess = {
  setupFiles: ['test/_properties.ts'],
  testTimeout: 20_000,
  // Some draw pictures before they begin, on a machine that is busy.
  hookTimeout: 60_000,
  // Nothing here keeps state in a module: to load all of them once is half of the time.
  isolate: false,
  maxWorkers: 2,
};

export default defineConfig({
  test: {
    reporters: [process.env['CI'] ? 'dot' : 'default', new ClosingLine()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ssr,
        test: {
          ...inProcess,
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: ['test/system/**', ...platform],
        },
      },
      {
        ssr,
        test: {
          ...inProcess,
          name: 'platform',
          include: platform.map((folder) => `${folder}/*.test.ts`),
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          globalSetup: ['test/system/_setup.ts'],
          setupFiles: ['test/system/_silence.ts'],
          // To load Temporal's SDK and our own code for each file anew takes more than many of them do.
          isolate: false,
          // The built program and packages, as Node itself loads them.
          server: { deps: { external: [/\/dist\//] } },
          testTimeout: 120_000,
          hookTimeout: 600_000,
          // They wait more than they work. Vitest wants projects of other numbers one after the other.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
