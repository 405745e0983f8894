// Starts that a general pause refuses: each counts once, however often its caller retries, and the log of the pause stays short.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { maxCounted, PausedStarts } from '../../../src/app/http-starts/paused-starts.ts';
import type { GeneralPause } from '../../../src/plan/run/general-pause.ts';

const client = {} as Client;
const pauseOf = (at: string): GeneralPause => ({
  taskQueue: 'shop',
  pipeline: null,
  by: 'ann@studio-2',
  at,
  reason: 'wrong colours',
});
const [first, second] = [pauseOf('2026-11-27T20:00:00Z'), pauseOf('2026-11-28T20:00:00Z')];

/** A receiver, and the runs that it noted. `isAway`: the note of a run fails. */
function receiverUnder(isAway: (run: string) => boolean = () => false) {
  const noted: string[] = [];
  const standing: { pause: GeneralPause | null } = { pause: first };
  const starts = new PausedStarts({
    find: async () => standing.pause,
    note: async (_client, _pause, { run }) => {
      if (isAway(run)) throw new Error('the server is away');
      noted.push(`${standing.pause?.at.slice(8, 10)} ${run}`);
    },
  });
  const refuse = (run: string) =>
    starts.refuse(client, 'shop', { run, pipeline: 'shop', reason: 'by HTTP' });
  return { refuse, noted, standing };
}

test('without a pause a start goes on', async () => {
  const { refuse, noted, standing } = receiverUnder();
  standing.pause = null;
  await refuse('a');
  expect(noted).toEqual([]);
});

test('the refusal says who paused, why, and what ends it', async () => {
  const { refuse } = receiverUnder();
  await expect(refuse('a')).rejects.toMatchObject({
    code: 'ALL_PAUSED',
    message: expect.stringContaining('by ann@studio-2: wrong colours'),
    fix: expect.stringContaining('renderline resume --all'),
  });
});

test('a start counts once in a pause, also when it is sent twice at once, and again in the next one', async () => {
  const { refuse, noted, standing } = receiverUnder();
  await Promise.allSettled([refuse('a'), refuse('a'), refuse('b')]);
  await Promise.allSettled([refuse('a')]);
  standing.pause = second;
  await Promise.allSettled([refuse('a')]);
  expect(noted).toEqual(['27 a', '27 b', '28 a']);
});

test('a start that could not be noted is refused all the same, and counts when it is retried', async () => {
  let isAway = true;
  const { refuse, noted } = receiverUnder(() => isAway);
  await expect(refuse('a')).rejects.toMatchObject({ code: 'ALL_PAUSED' });
  isAway = false;
  await Promise.allSettled([refuse('a')]);
  expect(noted).toEqual(['27 a']);
});

test('a thousand starts leave a short log', async () => {
  const { refuse, noted } = receiverUnder();
  await Promise.allSettled(Array.from({ length: 1_000 }, (_, n) => refuse(`run-${n}`)));
  expect(noted).toHaveLength(maxCounted);
});
