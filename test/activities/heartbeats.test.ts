// A transfer reports each piece, but Temporal receives at most one heartbeat a second.
import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it, vi } from 'vitest';
import { createHeartbeat } from '../../activities/heartbeats.ts';

it('the first heartbeat is sent immediately, and then at most one per second', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const environment = new MockActivityEnvironment();
  let heard = 0;
  environment.on('heartbeat', () => (heard += 1));
  await environment.run(async () => {
    const beat = createHeartbeat(Context.current());
    for (const [afterMs, expected] of [
      [0, 1],
      [999, 1],
      [1, 2],
      [500, 2],
      [60_000, 3],
    ] as const) {
      vi.advanceTimersByTime(afterMs);
      beat();
      expect(heard).toBe(expected);
    }
  });
  vi.useRealTimers();
});
