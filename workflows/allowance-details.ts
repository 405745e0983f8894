// The details page of an allowance workflow in the Temporal UI.
import type { AllowanceState } from '../src/plan/allowance/allowance-state.ts';

export function allowanceDetails(state: AllowanceState, nowMs: number): string {
  const limit = state.limit(nowMs);
  const places = state.availablePermits(nowMs);
  return [
    limit === null || places === null
      ? 'Requests per minute: **unknown** until the platform reports its limit, or `rateLimit` is set in `renderline.yaml`.'
      : `Requests per minute: **${limit}**${limit > places ? `, of which other clients use about ${limit - places}` : ''}.`,
    '',
    '| worker | allotment | in use | wanted | |',
    '|---|---:|---:|---:|---|',
    ...state
      .members(nowMs)
      .map(
        ({ worker, allotment, heldPermits, wantedPermits, alive, availablePermits: kept }) =>
          `| ${worker} | ${allotment ?? 'any'} | ${heldPermits} | ${wantedPermits} | ${alive ? '' : `left, ${kept} in use`} |`,
      ),
    '',
    `As of ${new Date(nowMs).toISOString()} (updated when a worker asks).`,
  ].join('\n');
}
