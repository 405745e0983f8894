// A platform with delayed visibility. Nothing fails because of the delay, and nothing is created twice.
import { describe, expect, it } from 'vitest';
import type { OperationId } from '../../src/api/operations/index.ts';
import { AlteredPlatform } from './_altered-platform.ts';
import { library, outcomeByAsset, pictures, sheets } from './_altered-runs.ts';
import { addConsistencyLag } from './_consistency-lag.ts';

const runs = { pictures, sheets, library };
const whole: Record<keyof typeof runs, readonly OperationId[]> = {
  pictures: ['createJob', 'createProjects', 'createRenders'],
  sheets: ['createModels', 'createColorwayBatch', 'exportProductionFile'],
  library: ['createProps', 'createDecals', 'createMaterial'],
};

/** Shorter than the platform's consistency window, so that a scenario has fewer steps. */
const consistencySeconds = 20;

async function over<T>(work: (platform: AlteredPlatform) => Promise<T>): Promise<T> {
  const platform = await AlteredPlatform.start({ consistencyWindowMs: consistencySeconds * 1_000 });
  try {
    return await work(platform);
  } finally {
    await platform.stop();
  }
}

describe.each([5, 16])('new resources are visible after %i seconds', (seconds) => {
  it.each(Object.keys(runs) as (keyof typeof runs)[])(
    'the %s run completes and creates everything exactly once',
    (name) =>
      over(async (platform) => {
        const { readTooEarly: tooSoon, created: made } = addConsistencyLag(
          platform,
          seconds * 1_000,
        );
        const ended = outcomeByAsset(await runs[name](platform));
        for (const end of Object.values(ended)) expect(end).toMatch(/^complete/);
        for (const operation of whole[name]) expect(made.get(operation)?.size).toBe(1);
        expect(tooSoon.size).toBeGreaterThan(0);
      }),
  );
});

describe('a colorway batch that does not show its job', () => {
  /** Hides jobs for the given number of seconds after the creation of a batch. */
  function withoutJobs(platform: AlteredPlatform, seconds: number): void {
    let shownFromMs = 0;
    platform.alterResponse = (operation, body) => {
      const { nowMs } = platform.run;
      if (operation === 'createColorwayBatch') shownFromMs = nowMs + seconds * 1_000;
      const isHidden = operation === 'getColorwayBatch' && nowMs < shownFromMs;
      return isHidden ? { ...(body as object), jobs: [] } : undefined;
    };
  }

  it.each([5, 16])(
    'a job that is hidden for %i seconds is awaited, and no second batch is sent',
    (seconds) =>
      over(async (platform) => {
        withoutJobs(platform, seconds);
        expect(outcomeByAsset(await sheets(platform))).toEqual({ shoe: 'complete, 1 files' });
        expect(platform.counts.get('createColorwayBatch')).toBe(1);
      }),
  );

  it('the asset fails when the consistency window is over', () =>
    over(async (platform) => {
      withoutJobs(platform, 3_600);
      const startedMs = platform.run.nowMs;
      expect(outcomeByAsset(await sheets(platform))).toEqual({ shoe: 'COLORWAY_NO_SLOT' });
      expect(platform.run.nowMs - startedMs).toBeGreaterThan(consistencySeconds * 1_000);
    }));
});

describe('a render job that never becomes visible', () => {
  it('the job is reported as missing when the consistency window is over', () =>
    over(async (platform) => {
      addConsistencyLag(platform, 3_600_000, /^createRenders$/);
      const startedMs = platform.run.nowMs;
      const settled = await pictures(platform);
      const gone = 'RENDER_JOB_NOT_FOUND';
      expect(outcomeByAsset(settled)).toEqual({ chair: gone, lamp: gone });
      expect(platform.run.nowMs - startedMs).toBeGreaterThan(consistencySeconds * 1_000);
      // The next run searches for the job before it pays again.
      for (const { platformIds } of settled) {
        expect(platformIds.jobId).toEqual(expect.any(String));
        expect(platformIds.missingIds).toContain('jobId');
      }
    }));
});
