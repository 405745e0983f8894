// Collects which assets of a run wait, for what and since when.
import { stepTypes } from '../../features/index.ts';
import { formatUtcMinutes } from '../../plan/contract/canary.ts';
import type { RunProgress } from '../../plan/contract/contract.ts';
import { formatCoarseTime } from '../../plan/helpers/format-coarse-time.ts';

export interface RunWait {
  step: string;
  assets: number;
  /** Start of the longest wait, as ISO 8601. */
  since: string;
  /** What must happen, such as `the platform to render`; null if the step type does not define it. */
  for: string | null;
  /** Known end of the wait, ISO 8601; absent: it ends when that has happened. */
  until?: string;
}

/** Longest wait first. Empty if nothing waits or no worker answers. */
export function collectWaits(progress: Pick<RunProgress, 'waits'> | null): RunWait[] {
  return Object.entries(progress?.waits ?? {})
    .sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
    .map(([step, { activity, assets, sinceMs, hold }]) => ({
      step,
      assets,
      since: new Date(sinceMs).toISOString(),
      for: hold?.for ?? stepTypes.find(({ type }) => type === activity)?.waitsFor ?? null,
      ...(hold && { until: hold.until }),
    }));
}

/** For example `3 wait for the platform to render, since 4 min`. */
export function formatWait(wait: RunWait, nowMs: number): string {
  const { step, assets, since, for: whom, until } = wait;
  const verb = assets === 1 ? 'waits' : 'wait';
  const time =
    until === undefined
      ? `since ${formatCoarseTime(nowMs - Date.parse(since))}`
      : `until ${formatUtcMinutes(until)}`;
  return `${assets} ${verb} ${whom === null ? `in ${step}` : `for ${whom}`}, ${time}`;
}
