// The timeout of a pipeline's test.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { type RunTestOptions, runTest } from '../../../src/app/testing/run-test.ts';
import { checkTestFile } from '../../../src/compile/test-file/check-tests.ts';

test('a timeout of a month does not end the test at once', async ({ expect }) => {
  const folder = mkdtempSync(join(tmpdir(), 'renderline-run-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const starts = '{ from: 2026-11-27, to: 2026-11-28, at: ["2026-11-27T22:00"] }';
  writeFileSync(
    join(folder, 'furniture.test.yaml'),
    `pipeline: ${resolve('pipelines/furniture.yaml')}
tests: [{ name: one, timeout: 30d, expect: { starts: ${starts} } }]`,
  );
  const checkedFile = await checkTestFile('furniture.test.yaml', { cwd: folder, environment: {} });
  const { tests } = checkedFile;
  const [only] = tests?.tests ?? [];
  if (tests === null || only === undefined) throw new Error('the file has no test');
  // A test of starts needs no server.
  const options = { environment: {}, stop: new AbortController().signal, note: () => undefined };
  const testCase = { checkedFile, tests, test: only, path: ['tests', 0] };
  expect(await runTest(testCase, options as unknown as RunTestOptions)).toMatchObject({
    outcome: 'passed',
    reason: '',
  });
});
