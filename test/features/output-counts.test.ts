// The jobs for which the output count of one job is valid.
import { describe, expect, it } from 'vitest';
import { OutputCounts } from '../../src/features/renders/status/render-outputs.ts';

const at = (seconds: number, outputCountKey = 'stills') => ({
  outputCountKey,
  submittedAt: new Date(1_700_000_000_000 + seconds * 1_000).toISOString(),
});

describe('an output count', () => {
  it.each([
    [0, 3],
    [10, 3],
    [-10, 3],
    [10.001, undefined],
    [-11, undefined],
  ])('a count is valid for a job submitted %s s later: %s', (seconds, outputs) => {
    const counts = new OutputCounts();
    counts.add(at(0), 3);
    expect(counts.countFor(at(seconds))).toBe(outputs);
  });

  it('a count is valid only for jobs of the same kind', () => {
    const counts = new OutputCounts();
    counts.add(at(0), 3);
    expect(counts.countFor(at(0, 'videos'))).toBeUndefined();
  });

  it('a count of zero is ignored', () => {
    const counts = new OutputCounts();
    counts.add(at(0), 0);
    expect(counts.countFor(at(0))).toBeUndefined();
  });

  it('the count that is closest in time wins, because the template may have changed in between', () => {
    const counts = new OutputCounts();
    counts.add(at(0), 3);
    counts.add(at(12), 5);
    expect([4, 5, 7, 12].map((seconds) => counts.countFor(at(seconds)))).toEqual([3, 3, 5, 5]);
  });

  it('a count is dropped after many newer ones of its kind or of other kinds', () => {
    const counts = new OutputCounts();
    for (let index = 0; index <= 50; index += 1) counts.add(at(index * 60), 1);
    expect([0, 60].map((seconds) => counts.countFor(at(seconds)))).toEqual([undefined, 1]);
    for (let index = 0; index < 50; index += 1) counts.add(at(0, `kind ${index}`), 1);
    expect(counts.countFor(at(60))).toBeUndefined();
  });
});
