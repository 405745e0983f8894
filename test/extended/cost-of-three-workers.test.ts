// More workers cost no more requests.
import { expect, it } from 'vitest';
import { useCost } from '../system/_cost.ts';
import { startWorkerProcess, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const runs = useCost(useTemporal());
useProcesses();

it('three workers ask hardly more than one, since one looks for all', async () => {
  const alone = await runs.costOf(200, 'alone');
  await Promise.all([startWorkerProcess(runs.env), startWorkerProcess(runs.env)]);
  // At first each looks for itself; by the end of this it is decided who looks.
  await runs.costOf(50, 'meanwhile');
  const together = await runs.costOf(200, 'together');
  expect(together.report).toMatchObject({ outcome: 'complete', assets: { complete: 200 } });
  // Looks of three would be twice as many requests in all.
  expect(together.requests).toBeLessThanOrEqual(1.3 * alone.requests + 10);
});
