// The cost of a known run in API requests and history events: a test fails if the cost grows.
import { beforeAll, describe, expect, it } from 'vitest';
import { fewestRequests } from '../../bench/ideal.ts';
import { type Cost, useCost } from './_cost.ts';
import { useProcesses } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const runs = useCost(useTemporal());
useProcesses();

/** Models, projects and renders are each polled with one request. */
const requestsPerPoll = 3;

/**
 * The maximum cost of a run with this number of assets. Assets become ready in waves, and polls continue meanwhile, so
 * requests and events grow with the duration of the run, and the maximum leaves room for a slow machine. One more event
 * or request per asset still fails the test.
 */
const budgets = [50, 200].map((assets) => ({
  assets,
  requests: (seconds: number) => 10 + 5 * Math.ceil(assets / 50) + (6 + assets / 100) * seconds,
  events: (seconds: number) => 60 + assets + 20 * seconds,
}));

describe.each(budgets)('a run of $assets assets', ({ assets, requests, events }) => {
  let cost: Cost;
  beforeAll(async () => {
    cost = await runs.costOf(assets);
  });

  it('all assets become pictures', () => {
    expect(cost.report).toMatchObject({ outcome: 'complete', assets: { complete: assets } });
    expect(cost.report.files).toHaveLength(assets);
  });

  it('the requests stay within the budget, and are no fewer than full batches need', () => {
    expect(cost.requests).toBeLessThanOrEqual(requests(cost.report.seconds));
    expect(cost.requests).toBeGreaterThanOrEqual(fewestRequests(assets) - Math.ceil(assets / 50));
    expect(cost.limited).toBe(0);
  });

  it('assets are submitted in full calls, with 50 files per job and few calls for projects and renders', () => {
    const { byOperation } = cost.report.requests;
    const fullCalls = Math.ceil(assets / 50);
    expect(byOperation).toMatchObject({ createJob: fullCalls, confirmJobUploads: fullCalls });
    // Assets become ready in waves, at most one per second, so some calls are not full.
    expect(byOperation['createProjects']).toBeLessThanOrEqual(fullCalls + cost.report.seconds);
    expect(byOperation['createRenders']).toBeLessThanOrEqual(fullCalls + cost.report.seconds);
    // The run reads one job of each batch to learn the number of outputs of all its jobs.
    expect(byOperation['getRenderJob'] ?? 0).toBeLessThanOrEqual(byOperation['createRenders'] ?? 0);
    expect(byOperation['getJob'] ?? 0).toBe(0);
  });

  it('each asset adds about one history event, and each wave adds a few events', () => {
    expect(cost.events).toBeLessThanOrEqual(events(cost.report.seconds));
  });

  it('the report of the run contains its requests and events', () => {
    // No report counts a poll whose response arrives just as new assets interrupt its wait.
    const unreported = cost.requests - cost.report.requests.total;
    expect(unreported).toBeGreaterThanOrEqual(0);
    expect(unreported).toBeLessThanOrEqual(4 * requestsPerPoll);
    expect(cost.report.historyEvents).toBe(cost.events);
  });
});
