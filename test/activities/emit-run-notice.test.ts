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

const receiver = 'https://hooks.example.com/runs';

test.each<[string, Error | null, string, object]>([
  ['accepted', null, 'run notice sent', {}],
  [
    'refused temporarily',
    ApplicationFailure.create({ message: `${receiver} responded with status 503` }),
    'run notice could not be sent; it will be retried',
    { problem: `${receiver} responded with status 503` },
  ],
  [
    'refused',
    ApplicationFailure.nonRetryable(`${receiver} responded with status 400`),
    'run notice could not be sent; it will not be retried',
    { problem: `${receiver} responded with status 400` },
  ],
])(
  'a run notice that is %s is logged, with the receiver and the reason',
  async (_what, error, line, facts) => {
    const lines: [string, object][] = [];
    const write = (fields: object, message: string) => lines.push([message, fields]);
    stop = logWorkerEvents({ debug: write, info: write, warn: write });
    const attempt = () =>
      emitRunNotice(input, async () => {
        if (error) throw error;
      });
    await new MockActivityEnvironment().run(() => attempt().catch(() => undefined));
    const fields = { component: 'activity', run: 'shop-1', attempt: 1, ...facts };
    expect(lines).toEqual([[line, fields]]);
  },
);
