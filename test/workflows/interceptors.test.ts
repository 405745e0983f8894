// Events that only a query brought do not move a workflow on (decision 045).
import type { ActivateInput } from '@temporalio/workflow';
import { describe, expect, it } from 'vitest';
import { interceptors } from '../../workflows/interceptors.ts';

interface Activation {
  events: number;
  /** Of the history, as its task told; 0: the server does not tell. */
  bytes: number;
  isReplaying?: boolean;
}

/** True where the activation came through. */
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
    ['the first', [{ events: 3, bytes: 500 }], [true]],
    [
      'of each task, with its size',
      [
        { events: 3, bytes: 500 },
        { events: 9, bytes: 600 },
      ],
      [true, true],
    ],
    [
      'once more of the same task: signals, then the rest',
      [
        { events: 3, bytes: 500 },
        { events: 3, bytes: 500 },
      ],
      [true, true],
    ],
    [
      'of events that came without a task',
      [
        { events: 3, bytes: 500, isReplaying: true },
        { events: 8, bytes: 500 },
      ],
      [true, false],
    ],
    [
      'of these again, when their task has come',
      [
        { events: 3, bytes: 500, isReplaying: true },
        { events: 8, bytes: 500 },
        { events: 11, bytes: 700 },
      ],
      [true, false, true],
    ],
    [
      'of a replay: what stands is heard as it stands',
      [
        { events: 3, bytes: 500, isReplaying: true },
        { events: 8, bytes: 500, isReplaying: true },
      ],
      [true, true],
    ],
    [
      'of a server that tells no sizes',
      [
        { events: 3, bytes: 0 },
        { events: 8, bytes: 0 },
      ],
      [true, true],
    ],
  ])('%s', (_name, activations, through) => {
    expect(cameThrough(activations)).toEqual(through);
  });
});
