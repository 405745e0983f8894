import { describe, expect, test } from 'vitest';
import { Interrupts } from '../../src/cli/interrupts.ts';
import { startProgress } from '../../src/cli/runs/progress.ts';
import {
  type ProgressView,
  progressLine,
  progressTable,
} from '../../src/cli/runs/progress-view.ts';
import { StepBoard } from '../../src/cli/runs/step-board.ts';
import type { ShardProgress } from '../../src/plan/contract.ts';
import { Screen } from './_terminal.ts';

const plain = (_format: unknown, text: string) => text;

function view(change: Partial<ProgressView> = {}): ProgressView {
  return {
    run: 'r-1',
    state: 'running',
    cause: null,
    totals: { total: 8, complete: 3, failed: 1, skipped: 0 },
    steps: [{ id: 'take', count: { waiting: 1, running: 2, done: 3, failed: 1 } }],
    requests: 7,
    elapsedMs: 61_400,
    remark: null,
    ...change,
  };
}

describe('one look at a run', () => {
  test('as a table', () => {
    expect(progressTable(view(), plain).split('\n')).toEqual([
      'r-1  running  1 min 1 s',
      `  ${'█'.repeat(12)}${'░'.repeat(12)} 3 of 8 complete, 1 failed, 7 requests`,
      '  step  waiting     now    done  failed',
      '  take       1       2       3       1',
    ]);
  });

  test('as a line', () => {
    expect(progressLine(view())).toBe('running: 3 of 8 complete, 1 failed, 7 requests, 1 min 1 s');
  });

  test('before there are figures, and with a remark', () => {
    const early = view({ state: 'discovering', steps: [], remark: 'no worker' });
    expect(progressLine(early)).toBe('discovering: looking for assets, 1 min 1 s (no worker)');
    expect(progressTable(early, plain)).toContain('no worker');
  });
});

describe('lines where there is no terminal', () => {
  async function lines() {
    const stderr = new Screen();
    let nowMs = 0;
    const progress = await startProgress({
      stderr,
      stdout: new Screen(),
      stdin: process.stdin,
      env: {},
      cwd: '/',
      interrupts: new Interrupts(),
      now: () => nowMs,
    });
    return {
      stderr,
      showAt: (ms: number, change: Partial<ProgressView>) => {
        nowMs = ms;
        progress.show(view({ elapsedMs: ms, ...change }));
        return stderr.text.split('\n').length - 1;
      },
    };
  }

  test('at most one in five seconds, but a change of state at once', async () => {
    const { showAt, stderr } = await lines();
    expect(showAt(0, {})).toBe(1);
    expect(showAt(1_000, {})).toBe(1);
    expect(showAt(4_999, {})).toBe(1);
    expect(showAt(5_000, {})).toBe(2);
    expect(showAt(5_100, { state: 'paused' })).toBe(3);
    expect(showAt(5_200, { state: 'paused', remark: 'no worker' })).toBe(4);
    expect(stderr.text).not.toContain('\u001B');
  });
});

test('on a terminal the table redraws itself and is gone at the end', async () => {
  const stderr = new Screen();
  stderr.isTTY = true;
  const progress = await startProgress({
    stderr,
    stdout: new Screen(),
    stdin: process.stdin,
    env: {},
    cwd: '/',
    interrupts: new Interrupts(),
    now: Date.now,
  });
  progress.show(view());
  expect(stderr.plain).toContain('3 of 8 complete');
  const before = stderr.text.length;
  progress.show(view({ totals: { total: 8, complete: 4, failed: 1, skipped: 0 } }));
  expect(stderr.text.slice(before)).toContain('\u001B[');
  expect(stderr.plain).toContain('4 of 8 complete');
  progress.end();
  expect(stderr.text).not.toContain('\u001B[?25l');
});

describe('adding up shards', () => {
  function shard(number: number, waiting: number, done: number): ShardProgress {
    return {
      shard: number,
      totals: { total: waiting + done, complete: done, failed: 0, skipped: 0 },
      steps: { take: { waiting, running: 0, done, failed: 0 } },
      failures: [],
    };
  }

  test('open shards as they are; what a finished one had under way counts as done', () => {
    const board = new StepBoard();
    board.update([0, 1], [shard(0, 5, 5), shard(1, 9, 1)]);
    expect(board.rows(['take'])[0]?.count).toMatchObject({ waiting: 14, done: 6 });
    board.update([1], [shard(1, 8, 2)]);
    expect(board.rows(['take'])[0]?.count).toMatchObject({ waiting: 8, done: 12 });
  });

  test('one open shard knows more than the run, unless the run has had others', () => {
    const board = new StepBoard();
    board.update([0], [shard(0, 5, 5)]);
    const behind = { total: 10, complete: 0, failed: 0, skipped: 0 };
    expect(board.finer(behind).complete).toBe(5);
    expect(board.finer({ ...behind, total: 300, complete: 250 }).complete).toBe(250);
  });
});
