// Starts that a general pause refuses. Each start counts once, however often its caller retries.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { maxCounted, PausedStarts } from '../../../src/app/http-starts/paused-starts.ts';
import type { GeneralPause } from '../../../src/plan/run/general-pause.ts';

const client = {} as Client;
const pauseOf = (at: string, pipeline: string | null = null): GeneralPause => ({
  taskQueue: 'shop',
  pipeline,
  by: 'ann@studio-2',
  at,
  reason: 'wrong colours',
});
const [first, second] = [pauseOf('2026-11-27T20:00:00Z'), pauseOf('2026-11-28T20:00:00Z')];

/** A receiver, and the runs that it recorded. If `isAway` is true, recording a run fails. */
function receiverUnder(isAway: (run: string) => boolean = () => false) {
  const noted: string[] = [];
  const standing: { pauses: GeneralPause[] } = { pauses: [first] };
  const findOf = (name: string | null) =>
    standing.pauses.find(({ pipeline }) => pipeline === null || pipeline === name) ?? null;
  const starts = new PausedStarts({
    find: async (_client, _taskQueue, pipeline) => findOf(pipeline),
    note: async (_client, { pipeline }, { run }) => {
      if (isAway(run)) throw new Error('the server is away');
      noted.push(`${findOf(pipeline)?.at.slice(8, 10)} ${run}`);
    },
  });
  const refuse = (run: string, pipeline = 'shop') =>
    starts.refuse(client, 'shop', { run, pipeline, reason: 'by HTTP' });
  return { refuse, noted, standing };
}

test('a start is not refused without a pause', async () => {
  const { refuse, noted, standing } = receiverUnder();
  standing.pauses = [];
  await refuse('a');
  expect(noted).toEqual([]);
});

test('the refusal contains the person, the reason and the command that ends the pause', async () => {
  const { refuse } = receiverUnder();
  await expect(refuse('a')).rejects.toMatchObject({
    code: 'ALL_PAUSED',
    message: expect.stringContaining('by ann@studio-2: wrong colours'),
    fix: expect.stringContaining('renderline resume --all'),
  });
});

test('a start counts once per pause, even if it is sent twice at the same time', async () => {
  const { refuse, noted, standing } = receiverUnder();
  await Promise.allSettled([refuse('a'), refuse('a'), refuse('b')]);
  await Promise.allSettled([refuse('a')]);
  standing.pauses = [second];
  await Promise.allSettled([refuse('a')]);
  expect(noted).toEqual(['27 a', '27 b', '28 a']);
});

test('with pauses of two pipelines, each start counts once, in any order of retries', async () => {
  const { refuse, noted, standing } = receiverUnder();
  standing.pauses = [pauseOf(first.at, 'lamps'), pauseOf(second.at, 'chairs')];
  for (const pipeline of ['lamps', 'chairs', 'lamps', 'chairs'])
    await Promise.allSettled([refuse(`${pipeline}-1`, pipeline)]);
  expect(noted).toEqual(['27 lamps-1', '28 chairs-1']);
});

test('a start that could not be recorded is still refused, and counts when it is retried', async () => {
  let isAway = true;
  const { refuse, noted } = receiverUnder(() => isAway);
  await expect(refuse('a')).rejects.toMatchObject({ code: 'ALL_PAUSED' });
  isAway = false;
  await Promise.allSettled([refuse('a')]);
  expect(noted).toEqual(['27 a']);
});

test('the number of starts that a pause counts is limited', async () => {
  const { refuse, noted } = receiverUnder();
  await Promise.allSettled(Array.from({ length: 1_000 }, (_, n) => refuse(`run-${n}`)));
  expect(noted).toHaveLength(maxCounted);
});
