import { expect, test } from 'vitest';
import type { Action, ControlResult } from '../../../src/app/runs/control.ts';
import { formatControlResult } from '../../../src/cli/commands/runs/control.ts';
import type { RunProgress } from '../../../src/plan/contract/contract.ts';
import { runningProgress as progress } from '../../plan/_run-progress.ts';

const asks: RunProgress = {
  ...progress,
  state: 'paused',
  cause: {
    code: 'CANARY_WAITING',
    message: 'the first 5 of 8 assets are done',
    fix: '',
    kind: 'later',
  },
};

test.each<[Action, string, RunProgress | null, RegExp]>([
  ['cancel', 'cancelled', progress, /^r-1 is cancelled: 3 of 8 complete/],
  ['cancel', 'cancelled', { ...progress, discovery: null }, /had not discovered its assets yet/],
  ['cancel', 'cancelling', progress, /still cleaning up.*renderline show r-1/],
  ['cancel', 'running', null, /was asked to cancel/],
  ['cancel', 'finished', progress, /^r-1 has nothing left to cancel: 3 of 8.*report are written/],
  ['cancel', 'completed', null, /had already ended \(completed\)/],
  ['pause', 'paused', progress, /^r-1 is paused: 3 of 8.*\nResume it: renderline resume r-1$/],
  ['pause', 'running', null, /asked to pause; no worker has responded/],
  ['resume', 'running', progress, /^r-1 continues: 3 of 8.*renderline show r-1 --wait/],
  ['resume', 'paused', asks, /^r-1 is no longer paused: the first 5 .*\n.*renderline approve r-1$/],
  ['resume', 'running', null, /asked to resume; no worker has responded/],
])('%s prints its result if the run is %s afterwards', (action, state, known, words) => {
  const shape = { run: 'r-1', action, state } as ControlResult['shape'];
  expect(formatControlResult({ shape, progress: known })).toMatch(words);
});
