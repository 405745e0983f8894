// Events that arrive only with a query do not advance a workflow (decision 045).
import type { ActivateInput } from '@temporalio/workflow';
import { describe, expect, it } from 'vitest';
import { interceptors } from '../../workflows/interceptors.ts';

interface Activation {
  events: number;
  /** Bytes of the history, from the workflow task; 0 if the server does not report them. */
  bytes: number;
  isReplaying?: boolean;
}

/** True for each activation that was passed on. */
function cameThrough(activations: readonly Activation[]): boolean[] {
  const [internals] = interceptors().internals ?? [];
  return activations.map(({ events, bytes, isReplaying = false }) => {
    const input = {
      activation: { historyLength: events, historySizeBytes: bytes, isReplaying },
      batchIndex: 0,
    } as unknown as ActivateInput;
    let isThrough = false;
    try {
      internals?.activate?.(input, () => {
        isThrough = true;
      });
    } catch (error) {
      expect(String(error)).toContain('A query came between');
    }
    return isThrough;
  });
}

describe('an activation', () => {
  it.each<[string, Activation[], boolean[]]>([
    ['is passed on if it is the first', [{ events: 3, bytes: 500 }], [true]],
    [
      'is passed on for each task, with its size',
      [
        { events: 3, bytes: 500 },
        { events: 9, bytes: 600 },
      ],
      [true, true],
    ],
    [
      'is passed on again for the same task, first with signals and then with the rest',
      [
        { events: 3, bytes: 500 },
        { events: 3, bytes: 500 },
      ],
      [true, true],
    ],
    [
      'is not passed on for events without a task',
      [
        { events: 3, bytes: 500, isReplaying: true },
        { events: 8, bytes: 500 },
      ],
      [true, false],
    ],
    [
      'is passed on for events once their task has arrived',
      [
        { events: 3, bytes: 500, isReplaying: true },
        { events: 8, bytes: 500 },
        { events: 11, bytes: 700 },
      ],
      [true, false, true],
    ],
    [
      'is passed on during a replay',
      [
        { events: 3, bytes: 500, isReplaying: true },
        { events: 8, bytes: 500, isReplaying: true },
      ],
      [true, true],
    ],
    [
      'is passed on if the server reports no sizes',
      [
        { events: 3, bytes: 0 },
        { events: 8, bytes: 0 },
      ],
      [true, true],
    ],
  ])('an activation %s', (_name, activations, through) => {
    expect(cameThrough(activations)).toEqual(through);
  });
});
