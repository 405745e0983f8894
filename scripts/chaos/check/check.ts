// Checks all invariants of a round. The result is a pure function of the evidence.
import { checkCharges } from './charges.ts';
import { checkCreations } from './creations.ts';
import { checkDeliveries } from './deliveries.ts';
import { checkEvents } from './events.ts';
import type { Evidence, Violation } from './evidence.ts';
import { checkLibraries } from './libraries.ts';
import { checkReports } from './reports.ts';

/**
 * A rate-limit window may close while a request is in flight, and a new worker does not know the window yet. More
 * refusals than this indicate a bug.
 */
const maxRefusals = 5;
const refusedShare = 0.05;

/** Returns all violated invariants. */
export function checkRound(evidence: Evidence): Violation[] {
  const { unfinished, openRuns, leaks, replayed, network } = evidence;
  const toViolations = (invariant: string, problems: readonly string[]) =>
    problems.map((problem) => ({ invariant, what: problem }));
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
    ...toViolations('I5', network.refusals > max ? [`${network.refusals} refusals by limit`] : []),
    ...toViolations(
      'I6',
      leaks.map((file) => `a secret is in ${file}`),
    ),
    ...toViolations('I6', network.keysSentToStorage > 0 ? ['the key was sent to storage'] : []),
    ...toViolations('I7', broken),
    ...toViolations('I8', unfinished),
    ...toViolations(
      'I8',
      openRuns.map((run) => `${run} has not ended`),
    ),
    ...checkEvents(evidence),
  ];
}
