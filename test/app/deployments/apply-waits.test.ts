import { describe, expect, it } from 'vitest';
import { formatWaiting } from '../../../src/app/deployments/wait-until-current.ts';

const routed = (buildId: string) => ({ current: { deployment: 'shop', buildId }, ramping: null });

describe('what apply waits for', () => {
  it.each([
    ['another build', routed('b1'), 'New runs go to b1. Waits until they go to b2 before applying'],
    ['no version', { current: null, ramping: null }, 'New runs go to workers without a version.'],
    ['a server that does not answer', null, 'Temporal does not respond; retrying.'],
  ])('%s', (_what, routing, words) => {
    expect(formatWaiting(routing, 'b2')).toContain(words);
  });
});
