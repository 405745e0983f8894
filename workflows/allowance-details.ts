// The details page of an allowance workflow in the Temporal UI.
import type { AllowanceState } from '../src/plan/allowance-state.ts';

export function allowanceDetails(state: AllowanceState, nowMs: number): string {
  const limit = state.limit(nowMs);
  const places = state.places(nowMs);
  return [
    limit === null || places === null
      ? 'Requests a minute: **not known** until the platform tells, or `rateLimit` in `renderline.yaml` says.'
      : `Requests a minute: **${limit}**${limit > places ? `, of which other clients take about ${limit - places}` : ''}.`,
    '',
    '| worker | may hold | holds | could use | |',
    '|---|---:|---:|---:|---|',
    ...state
      .members(nowMs)
      .map(
        ({ worker, told, holds, wants, alive, places: kept }) =>
          `| ${worker} | ${told ?? 'any'} | ${holds} | ${wants} | ${alive ? '' : `gone, ${kept} come back`} |`,
      ),
    '',
    `As of ${new Date(nowMs).toISOString()}: it changes when a worker asks.`,
  ].join('\n');
}
