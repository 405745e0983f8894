// Requests in the result of a wait that the workflow has interrupted and therefore ignores.
import { expect, it } from 'vitest';
import { recountDropped, rememberReport } from '../../activities/shard/dropped-reports.ts';
import { RequestCounter } from '../../src/api/request-counter.ts';
import type { StepInput } from '../../src/plan/shard/step-contract.ts';

const waitFor = (assets: number[], enteredAtMs: number[]) =>
  ({ shard: 0, step: { id: 's' }, assets, wait: { batchAssets: 50, enteredAtMs } }) as StepInput;

it.each([
  { assets: [0, 1], enteredAtMs: [10, 20], requests: 1, why: 'a finished asset waits again' },
  { assets: [1], enteredAtMs: [20], requests: 0, why: 'only open assets wait again' },
  {
    assets: [0, 1],
    enteredAtMs: [90, 20],
    requests: 0,
    why: 'a finished asset has come back later',
  },
])('they are counted again $requests times if $why', ({ assets, enteredAtMs, requests }) => {
  const counter = new RequestCounter();
  rememberReport(waitFor([0, 1], [10, 20]), { done: [0] }, counter, { checkModelStatus: 1 });
  recountDropped(waitFor(assets, enteredAtMs), counter);
  expect(counter.total).toBe(requests);
  recountDropped(waitFor(assets, enteredAtMs), counter);
  expect(counter.total).toBe(requests);
});
