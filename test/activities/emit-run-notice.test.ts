// Tests the log line of an attempt to send a run notice: sent, to be retried, or failed permanently.
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, test } from 'vitest';
import { emitRunNotice } from '../../activities/emit-events.ts';
import type { NoticeInput } from '../../src/plan/contract/notice-contract.ts';
import { logWorkerEvents } from '../../src/telemetry/log-worker-events.ts';

let stop = () => {};
afterEach(() => stop());

// No other field is read.
const input = { notice: { run: 'shop-1' } } as NoticeInput;

test.each<[string, Error | null, string]>([
  ['accepted', null, 'run notice sent'],
  [
    'refused temporarily',
    ApplicationFailure.create({ message: 'answered 503' }),
    'run notice could not be sent; it will be retried',
  ],
  [
    'refused',
    ApplicationFailure.nonRetryable('answered 400'),
    'run notice could not be sent; it will not be retried',
  ],
])('a run notice that is %s is logged', async (_what, error, line) => {
  const lines: string[] = [];
  const write = (_fields: object, message: string) => lines.push(message);
  stop = logWorkerEvents({ debug: write, info: write, warn: write });
  const attempt = () =>
    emitRunNotice(input, async () => {
      if (error) throw error;
    });
  await new MockActivityEnvironment().run(() => attempt().catch(() => undefined));
  expect(lines).toEqual([line]);
});
