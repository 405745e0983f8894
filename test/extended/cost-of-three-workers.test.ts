// More workers cost no more requests.
import { expect, it } from 'vitest';
import { useCost } from '../system/_cost.ts';
import { startWorkerProcess, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const runs = useCost(useTemporal());
useProcesses();

it('three workers send hardly more requests than one, because only one polls for all', async () => {
  const alone = await runs.costOf(200, 'alone');
  await Promise.all([startWorkerProcess(runs.env), startWorkerProcess(runs.env)]);
  // At first each worker polls for itself; during this run one of them becomes the poll leader.
  await runs.costOf(50, 'meanwhile');
  const together = await runs.costOf(200, 'together');
  expect(together.report).toMatchObject({ outcome: 'complete', assets: { complete: 200 } });
  // Three workers that all poll would double the number of requests.
  expect(together.requests).toBeLessThanOrEqual(1.3 * alone.requests + 10);
});
