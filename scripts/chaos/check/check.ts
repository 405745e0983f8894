// Checks all invariants of a round: a pure function of its evidence.
import { checkCharges } from './charges.ts';
import { checkCreations } from './creations.ts';
import { checkDeliveries } from './deliveries.ts';
import { checkEvents } from './events.ts';
import type { Evidence, Violation } from './evidence.ts';
import { checkLibraries } from './libraries.ts';
import { checkReports } from './reports.ts';

/**
 * A rate-limit window may close while a request is in flight, and a new worker does not know the window yet. More
 * refusals than this are a bug.
 */
const maxRefusals = 5;
const refusedShare = 0.05;

/** All violated invariants. */
export function checkRound(evidence: Evidence): Violation[] {
  const { unfinished, open, leaks, replayed, network } = evidence;
  const of = (invariant: string, whats: readonly string[]) =>
    whats.map((what) => ({ invariant, what }));
  const broken = replayed.flatMap(({ workflow, problem }) =>
    problem === null ? [] : [`${workflow} does not replay: ${problem}`],
  );
  const max = Math.max(maxRefusals, refusedShare * network.requests);
  return [
    ...checkCreations(evidence),
    ...checkReports(evidence),
    ...checkCharges(evidence),
    ...checkDeliveries(evidence),
    ...checkLibraries(evidence),
    ...of('I5', network.refusals > max ? [`${network.refusals} refusals by limit`] : []),
    ...of(
      'I6',
      leaks.map((file) => `a secret is in ${file}`),
    ),
    ...of('I6', network.keysSentToStorage > 0 ? ['the key was sent to storage'] : []),
    ...of('I7', broken),
    ...of('I8', unfinished),
    ...of(
      'I8',
      open.map((run) => `${run} has not ended`),
    ),
    ...checkEvents(evidence),
  ];
}
