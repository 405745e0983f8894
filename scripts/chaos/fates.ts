// Chooses the network fault of a request, from the seed and the fault kinds of the round.
import type { Dice } from './dice.ts';
import type { FaultKind } from './plan.ts';

export type Fate =
  | { do: 'pass' }
  | { do: 'drop-before' }
  | { do: 'drop-after' }
  | { do: 'answer-before'; status: number }
  | { do: 'answer-after'; status: number }
  | { do: 'delay'; ms: number }
  | { do: 'trickle'; pieces: number }
  /** This share of the body arrives: of the request's body if it has one, else of the response's. */
  | { do: 'cut'; share: number };

/** The fault kind that each network fault counts for. */
export const kindOf: Readonly<Record<Exclude<Fate['do'], 'pass'>, FaultKind>> = {
  'drop-before': 'drops-before',
  'drop-after': 'drops-after',
  'answer-before': 'errors-before',
  'answer-after': 'errors-after',
  delay: 'slow',
  trickle: 'slow',
  cut: 'cuts',
};

const serverErrors = [500, 502, 503, 504] as const;

interface Choice {
  dice: Dice;
  kinds: readonly FaultKind[];
  badShare: number;
}

const ofRequests = new Set<FaultKind>([
  'drops-before',
  'drops-after',
  'errors-before',
  'errors-after',
  'slow',
  'cuts',
]);

/** The fault of the `count`th request. */
export function fateOf(count: number, { dice, kinds, badShare }: Choice): Fate {
  const [first, ...others] = kinds.filter((kind) => ofRequests.has(kind));
  if (first === undefined || !dice.chance(badShare, 'fate', count)) return { do: 'pass' };
  const kind = dice.pick([first, ...others], 'fate kind', count);
  switch (kind) {
    case 'drops-before':
      return { do: 'drop-before' };
    case 'drops-after':
      return { do: 'drop-after' };
    case 'errors-before':
      return { do: 'answer-before', status: dice.pick(serverErrors, 'status', count) };
    case 'errors-after':
      return { do: 'answer-after', status: dice.pick(serverErrors, 'status', count) };
    case 'cuts':
      return { do: 'cut', share: dice.between(0, 95, 'share', count) / 100 };
    default:
      return dice.chance(0.5, 'slow', count)
        ? { do: 'delay', ms: dice.between(100, 2_500, 'delay', count) }
        : { do: 'trickle', pieces: dice.between(3, 12, 'pieces', count) };
  }
}

const burstMs = 1_000;

/** Time ranges, since the start of the faults, in which every request is refused with 429. */
export function limitBursts(dice: Dice, kinds: readonly FaultKind[], untilMs: number) {
  if (!kinds.includes('limits')) return [];
  return Array.from({ length: dice.between(1, 3, 'bursts') }, (_, index) => {
    const fromMs = dice.between(0, untilMs - burstMs, 'burst', index);
    return { fromMs, toMs: fromMs + dice.between(200, burstMs, 'burst length', index) };
  });
}
