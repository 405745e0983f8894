// Chooses the network fault for a request from the seed and the fault kinds of the round.

import type { FaultKind } from './plan.ts';
import type { SeededRandom } from './seeded-random.ts';

export type NetworkFault =
  | { do: 'pass' }
  | { do: 'drop-before' }
  | { do: 'drop-after' }
  | { do: 'respond-before'; status: number }
  | { do: 'respond-after'; status: number }
  /** A web page, or with `isEmpty` nothing. A page of a gateway comes before the platform does any work. */
  | { do: 'gateway'; status: number }
  | { do: 'page'; isEmpty: boolean }
  | { do: 'delay'; ms: number }
  | { do: 'trickle'; pieces: number }
  /**
   * The share of the body that arrives. For an upload this is the request body, and for other requests the response
   * body.
   */
  | { do: 'cut'; share: number };

/** The fault kind under which each network fault is counted. */
export const faultKindOf: Readonly<Record<Exclude<NetworkFault['do'], 'pass'>, FaultKind>> = {
  'drop-before': 'drops-before',
  'drop-after': 'drops-after',
  'respond-before': 'errors-before',
  'respond-after': 'errors-after',
  gateway: 'gateway',
  page: 'pages',
  delay: 'slow',
  trickle: 'slow',
  cut: 'cuts',
};

const serverErrors = [500, 502, 503, 504] as const;

interface FaultChoice {
  rng: SeededRandom;
  kinds: readonly FaultKind[];
  faultShare: number;
}

const ofRequests = new Set<FaultKind>([
  'drops-before',
  'drops-after',
  'errors-before',
  'errors-after',
  'gateway',
  'pages',
  'slow',
  'cuts',
]);

/** Chooses the fault for the `count`th request. */
export function chooseFault(count: number, { rng, kinds, faultShare }: FaultChoice): NetworkFault {
  const [first, ...others] = kinds.filter((kind) => ofRequests.has(kind));
  if (first === undefined || !rng.chance(faultShare, 'fate', count)) return { do: 'pass' };
  const kind = rng.pick([first, ...others], 'fate kind', count);
  switch (kind) {
    case 'drops-before':
      return { do: 'drop-before' };
    case 'drops-after':
      return { do: 'drop-after' };
    case 'errors-before':
      return { do: 'respond-before', status: rng.pick(serverErrors, 'status', count) };
    case 'errors-after':
      return { do: 'respond-after', status: rng.pick(serverErrors, 'status', count) };
    case 'gateway':
      return { do: 'gateway', status: rng.pick([403, 404, 405], 'status', count) };
    case 'pages':
      return { do: 'page', isEmpty: rng.chance(0.5, 'empty', count) };
    case 'cuts':
      return { do: 'cut', share: rng.between(0, 95, 'share', count) / 100 };
    default:
      return rng.chance(0.5, 'slow', count)
        ? { do: 'delay', ms: rng.between(100, 2_500, 'delay', count) }
        : { do: 'trickle', pieces: rng.between(3, 12, 'pieces', count) };
  }
}

const burstMs = 1_000;

/** Plans the time ranges in which every API request is refused with 429, in ms after the first creating call. */
export function planRateLimitBursts(
  rng: SeededRandom,
  kinds: readonly FaultKind[],
  untilMs: number,
) {
  if (!kinds.includes('limits')) return [];
  return Array.from({ length: rng.between(1, 3, 'bursts') }, (_, index) => {
    const fromMs = rng.between(0, untilMs - burstMs, 'burst', index);
    return { fromMs, toMs: fromMs + rng.between(200, burstMs, 'burst length', index) };
  });
}
