// Display names of contenders and cases.
import type { Case, Contender } from './options.ts';

export const titles: Record<Contender, string> = {
  renderline: 'Renderline',
  webhooks: 'Renderline with webhooks',
  'hand-written': 'a hand-written workflow',
  script: 'a plain script',
};

export function titleOf(benchCase: Case): string {
  const { assets, workers, mix, kills } = benchCase;
  return [
    `${assets} assets`,
    limitOf(benchCase),
    ...(workers === 1 ? [] : [`${workers} workers`]),
    ...(mix ? ['one asset during the run'] : []),
    ...(kills === 0 ? [] : [`${kills} workers killed`]),
  ].join(', ');
}

/** Formats the rate limit. A window that differs from the platform's 60 seconds is marked as a trial. */
export function limitOf({ limit, windowSeconds }: Pick<Case, 'limit' | 'windowSeconds'>): string {
  if (limit === 0) return 'no limit';
  return windowSeconds === 60
    ? `${limit} requests a minute`
    : `${limit} requests in ${windowSeconds} s (trial)`;
}
