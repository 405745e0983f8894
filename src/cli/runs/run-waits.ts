// The assets of a run that wait for somebody, such as the platform, and since when.
import { stepTypes } from '../../capabilities/index.ts';
import { coarseTime } from '../../plan/coarse-time.ts';
import type { RunProgress } from '../../plan/contract.ts';

export interface RunWait {
  step: string;
  assets: number;
  /** ISO 8601: when the first of them began to wait. */
  since: string;
  /** Who has to do what, as in `the platform to render`; null where the type of the step does not say. */
  for: string | null;
}

/** Those that wait longest come first. Empty where nothing waits, or no worker tells. */
export function waitsOf(progress: Pick<RunProgress, 'waits'> | null): RunWait[] {
  return Object.entries(progress?.waits ?? {})
    .sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
    .map(([step, { activity, assets, sinceMs }]) => ({
      step,
      assets,
      since: new Date(sinceMs).toISOString(),
      for: stepTypes.find(({ type }) => type === activity)?.waitsFor ?? null,
    }));
}

/** `3 wait for the platform to render, since 4 min`. */
export function waitWords({ step, assets, since, for: whom }: RunWait, nowMs: number): string {
  const verb = assets === 1 ? 'waits' : 'wait';
  const sinceMs = nowMs - Date.parse(since);
  return `${assets} ${verb} ${whom === null ? `in ${step}` : `for ${whom}`}, since ${coarseTime(sinceMs)}`;
}
