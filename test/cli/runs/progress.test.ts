import { expect, test } from 'vitest';
import { Interrupts } from '../../../src/cli/interrupts.ts';
import { formatProgressTable, startProgress } from '../../../src/cli/runs/progress.ts';
import { progressReport } from '../../app/runs/_progress-report.ts';
import { Screen } from '../_fake-io.ts';

const plain = (_format: unknown, text: string) => text;

test('progress is printed as a table', () => {
  expect(formatProgressTable(progressReport(), plain).split('\n')).toEqual([
    'r-1  running  1 min 1 s',
    `  ${'█'.repeat(12)}${'░'.repeat(12)} 3 of 8 complete, 1 failed, 7 requests`,
    '  step  waiting     now    done  failed',
    '  take       1       2       3       1',
  ]);
});

test('a remark is shown while assets are being discovered', () => {
  const early = progressReport({ state: 'discovering', steps: [], remark: 'no worker' });
  expect(formatProgressTable(early, plain)).toContain('no worker');
});

/** Progress on a screen. */
function progressOn(stderr: Screen) {
  return startProgress({
    stderr,
    stdout: new Screen(),
    stdin: process.stdin,
    env: {},
    cwd: '/',
    interrupts: new Interrupts(),
    now: Date.now,
  });
}

test('without a terminal, each progress report is a line with control characters escaped', () => {
  const stderr = new Screen();
  progressOn(stderr).show(progressReport({ remark: 'no worker\u001B[2J' }));
  expect(stderr.text).toMatch(/^running: 3 of 8 complete.*\(no worker\\u001b\[2J\)\n$/);
});

test('on a terminal, the progress table is redrawn, and the cursor is never hidden', async () => {
  const stderr = new Screen();
  stderr.isTTY = true;
  const progress = progressOn(stderr);
  progress.show(progressReport());
  expect(stderr.plain).toContain('3 of 8 complete');
  const before = stderr.text.length;
  progress.show(progressReport({ totals: { total: 8, complete: 4, failed: 1, skipped: 0 } }));
  expect(stderr.text.slice(before)).toContain('\u001B[');
  expect(stderr.plain).toContain('4 of 8 complete');
  progress.close();
  expect(stderr.text).not.toContain('\u001B[?25l');
});
