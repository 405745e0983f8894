// Maps folders to the tests that must detect a change there: the tests about the folder, not all that use it.

export interface Area {
  /** Source path from the root. A file belongs to the longest matching path. */
  folder: string;
  /** Parts of test file paths, which are passed to Vitest as arguments. */
  tests: string[];
}

const engine = (...names: string[]) => names.map((name) => `test/engine/${name}`);

export const areas: readonly Area[] = [
  {
    folder: 'src/engine/uploads',
    tests: engine('ingest', 'into-records', 'upload-', 'source-file', 'import-library'),
  },
  {
    folder: 'src/features/models',
    tests: engine('ingest', 'upload-'),
  },
  {
    folder: 'src/engine/submit',
    tests: engine(
      'ambiguous-outcome',
      'anomalous-polls',
      'anomalous-responses',
      'look-for-projects',
      'possible-duplicates',
      'render-quota',
      'split-call',
      'submit-once',
    ),
  },
  { folder: 'activities', tests: ['test/activities/'] },
  { folder: 'src/compile', tests: ['test/compile/'] },
  { folder: 'src/connectors', tests: ['test/connectors/'] },
  { folder: 'packages/sandbox/src/pantone', tests: ['packages/sandbox/test/pantone/'] },
  { folder: 'src/plan', tests: ['test/plan/'] },
  { folder: 'src/store', tests: ['test/store/'] },
  { folder: 'src/pantone', tests: ['test/pantone/'] },
  { folder: 'src/textures', tests: ['test/textures/'] },
  {
    folder: 'workflows',
    tests: [
      'test/workflows/',
      'test/system/shard.test.ts',
      'test/system/pipeline-run',
      'test/system/event-trigger-workflow.test.ts',
      'test/system/replay.test.ts',
    ],
  },
];

/** Returns the area of a path, or null if no tests are listed for the path. */
export function testAreaOf(path: string): Area | null {
  const holding = areas.filter(({ folder }) => `${path}/`.startsWith(`${folder}/`));
  return holding.toSorted((a, b) => b.folder.length - a.folder.length)[0] ?? null;
}
