// Tests that an unreadable part of the status does not affect the others, and that nothing is read without subscribers.
import { afterEach, expect, it, vi } from 'vitest';
import { type QueueStatus, queueEvents } from '../../../src/telemetry/events.ts';
import { pollQueueStatus } from '../../../src/temporal/status/poll-queue-status.ts';
import { fakeServer } from './_visibility.ts';

let stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops) stop();
  stops = [];
});

it('the status contains the readable parts, and the others are null', async () => {
  const heard: QueueStatus[] = [];
  stops.push(queueEvents.subscribe((status) => heard.push(status)));
  const { client } = fakeServer({ runs: [{ id: 'a', pipeline: 'shoes' }] });
  stops.push(pollQueueStatus(client, 'q'));
  await vi.waitFor(() => expect(heard).toHaveLength(1));
  // This server does not support pollers.
  expect(heard).toMatchObject([
    { openRuns: [{ pipeline: 'shoes' }], workers: null, failing: 0, schedules: [] },
  ]);
});

it('no request is sent without subscribers', async () => {
  const { client, queries } = fakeServer();
  const stop = pollQueueStatus(client, 'q');
  await new Promise((resolve) => setTimeout(resolve, 20));
  stop();
  expect(queries).toEqual([]);
});
