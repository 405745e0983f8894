import { expect, test } from 'vitest';
import { TaskFailures } from '../../src/temporal/runs/task-failures.ts';

test.each<[string, atMs: number[], nowMs: number, trouble: RegExp | null]>([
  ['no failure', [], 0, null],
  ['one failure', [0], 60_000, /^it failed 1 workflow task of runs.*the last: why 0$/],
  ['several failures', [0, 1_000, 2_000], 3_000, /failed 3 workflow tasks.*the last: why 2$/],
  ['failures from long ago', [0, 1_000, 2_000], 302_001, null],
])('TaskFailures reports the trouble, if any, after %s', (_name, times, nowMs, trouble) => {
  let clockMs = 0;
  const failures = new TaskFailures(() => clockMs);
  times.forEach((atMs, index) => {
    clockMs = atMs;
    failures.add(`why ${index}`);
  });
  clockMs = nowMs;
  if (trouble) expect(failures.trouble).toMatch(trouble);
  else expect(failures.trouble).toBeNull();
});
