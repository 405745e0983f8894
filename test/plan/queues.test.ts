// Tests the names of task queues, and the queue of an activity.
import { describe, expect, it, test } from 'vitest';
import { textBytesOf } from '../../src/plan/helpers/bytes.ts';
import {
  chooseQueue,
  hostPattern,
  hostQueue,
  pollQueue,
  urgentQueueOf,
} from '../../src/plan/run/queues.ts';

const odd = 'Büro 3/links "☕"\u{1F600}';

test.each([
  [{}, false, undefined],
  [{}, true, 'q/polls'],
  [{ urgent: true }, false, 'q/urgent'],
  [{ urgent: true }, true, 'q/polls'],
  [{ host: 'a' }, false, 'q/host/a'],
  [{ host: 'a' }, true, 'q/host/a/polls'],
  [{ host: 'a', urgent: true }, false, 'q/host/a/urgent'],
  [{ host: 'q', urgent: true }, true, 'q/host/q/polls'],
] as const)('the queue of %j for a poll (%j) is %j', (context, isLook, queue) => {
  expect(chooseQueue('q', context, isLook)).toBe(queue);
});

describe('the queue of a host', () => {
  it.each([
    ['studio-2', 'q/host/studio-2'],
    ['a/polls', 'q/host/a%2Fpolls'],
    ['mac.local', 'q/host/mac.local'],
    ['\u{D800}', 'q/host/%3F'],
  ])('the queue of the host %j is named %j', (host, queue) => {
    expect(hostQueue('q', host)).toBe(queue);
  });

  it.each([
    ['x'.repeat(200), 'x'.repeat(199)],
    ['ü'.repeat(200), `${'ü'.repeat(199)}u`],
    [odd, odd.toLowerCase()],
  ])('the queue name of a host is short enough and unique: %j', (host, other) => {
    for (const base of ['q', 'ü'.repeat(480)]) {
      const queue = urgentQueueOf(hostQueue(base, host));
      expect(textBytesOf(queue)).toBeLessThanOrEqual(1_000);
      expect(queue).not.toBe(urgentQueueOf(hostQueue(base, other)));
      expect(queue).toBe(urgentQueueOf(hostQueue(base, host)));
    }
  });
});

it('queues with long names have different names', () => {
  const [one, other] = ['a', 'b'].map((end) => pollQueue(`${'q'.repeat(998)}${end}`));
  expect(one).not.toBe(other);
  expect(textBytesOf(one ?? '')).toBeLessThanOrEqual(1_000);
});

test.each([
  ['studio-2', true],
  [odd, true],
  ['x'.repeat(200), true],
  ['x'.repeat(201), false],
  ['', false],
  ['a\nb', false],
])('the name %j may be a host: %j', (name, may) => {
  expect(hostPattern.test(name)).toBe(may);
});
