// Rows of results for tests.
import type { Result } from '../../bench/results.ts';

/** A run with one worker and no rate limit by default. */
export function result(
  changes: Partial<Omit<Result, 'figures'>> = {},
  figures: Result['figures'] = {},
): Result {
  return {
    date: '2026-01-01',
    version: '1.0.0',
    contender: 'renderline',
    assets: 1_000,
    limit: 0,
    workers: 1,
    windowSeconds: 60,
    mix: false,
    kills: 0,
    ...changes,
    figures: {
      requests: 200,
      events: 1_000,
      wall_ms: 20_000,
      ideal_ms: 10_000,
      worker_cpu_ms: 8_000,
      server_cpu_ms: 2_000,
      worker_peak_mib: 300,
      noticed_p95_ms: 1_000,
      ...figures,
    },
  };
}
