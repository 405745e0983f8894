// Starts that Temporal missed while it was down: made up for within the catch-up window, and counted beyond it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ListedSchedule } from '../../src/app/schedules/list.ts';
import { connectTemporal } from '../../src/temporal/connection/connect.ts';
import { type DurableTemporal, startDurableTemporal } from '../system/_durable-temporal.ts';
import { joined } from '../system/_runs.ts';
import { type Env, run, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';

useProcesses();

let temporal: DurableTemporal;
let env: Env;

beforeAll(async () => {
  temporal = await startDurableTemporal();
  env = joined(temporal.env);
});

afterAll(async () => {
  await temporal.close();
});

/** Times of the starts so far, before jitter. */
async function startsOf(schedule: string): Promise<number[]> {
  const connection = await connectTemporal({ env });
  try {
    const { info } = await connection.client.schedule.getHandle(schedule).describe();
    return info.recentActions.map(({ scheduledAt }) => scheduledAt.getTime());
  } finally {
    await connection.close();
  }
}

test('a server that was killed and restarted makes up for starts within the window and counts the others', async () => {
  const folder = await tempFolder('pipelines');
  // No worker is needed: the server starts runs.
  const lines = ['every: 5s', 'jitter: 0s', 'overlap: allow_all', 'catchUp: 30s'];
  const text = [
    'name: away',
    `connectors: { m: { type: local, path: ${folder} } }`,
    'records: m',
    'nodes: [{ id: take, type: connector_poll, config: { connector: m } }]',
    'schedule:',
    ...lines.map((line) => `  ${line}`),
  ];
  await writeFile(join(folder, 'away.yaml'), text.join('\n'));
  expect(await run(['apply', folder], env)).toMatchObject({ code: 0 });
  await waitUntil('it starts', async () => (await startsOf('away')).length > 0);

  await temporal.kill();
  const killedMs = Date.now();
  // Longer than the catch-up window.
  await waitUntil('forty seconds are over', () => Date.now() > killedMs + 40_000);
  const listedAway = await run(['schedules', '--json'], env);
  expect(listedAway.code).toBe(69);
  const backMs = Date.now();
  await temporal.restart();

  await waitUntil('what it missed by less than thirty seconds was started', async () =>
    (await startsOf('away')).some((ms) => ms > killedMs && ms < backMs),
  );
  const caughtUp = (await startsOf('away')).filter((ms) => ms > killedMs && ms < backMs);
  // The window is counted back from the time when the server works again. Starts before the window are missed.
  expect(Math.min(...caughtUp)).toBeGreaterThan(backMs - 30_000);
  await waitUntil('the others are counted', async () => {
    const { schedules } = JSON.parse((await run(['schedules', '--json'], env)).stdout) as {
      schedules: ListedSchedule[];
    };
    return (schedules[0]?.skipped.missed ?? 0) > 0;
  });
});
