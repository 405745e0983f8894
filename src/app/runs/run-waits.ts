// Collects which assets of a run wait, for what and since when.
import { stepTypes } from '../../features/index.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatCoarseTime } from '../../plan/helpers/format-coarse-time.ts';

export interface RunWait {
  step: string;
  assets: number;
  /** Start of the longest wait, as ISO 8601. */
  since: string;
  /** What must happen, such as `the platform to render`; null if the step type does not define it. */
  for: string | null;
}

/** Longest wait first. Empty if nothing waits or no worker answers. */
export function collectWaits(progress: Pick<RunProgress, 'waits'> | null): RunWait[] {
  return Object.entries(progress?.waits ?? {})
    .sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
    .map(([step, { activity, assets, sinceMs }]) => ({
      step,
      assets,
      since: new Date(sinceMs).toISOString(),
      for: stepTypes.find(({ type }) => type === activity)?.waitsFor ?? null,
    }));
}

/** For example `3 wait for the platform to render, since 4 min`. */
export function formatWait({ step, assets, since, for: whom }: RunWait, nowMs: number): string {
  const verb = assets === 1 ? 'waits' : 'wait';
  const sinceMs = nowMs - Date.parse(since);
  return `${assets} ${verb} ${whom === null ? `in ${step}` : `for ${whom}`}, since ${formatCoarseTime(sinceMs)}`;
}
