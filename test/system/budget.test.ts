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
 * The maximum cost of a run with this number of assets. Assets become ready in waves, and polls are made meanwhile, so
 * both grow with the duration of the run: a slow machine must not fail the test. One more event or request for each
 * asset does.
 */
const budgets = [50, 200].map((assets) => ({
  assets,
  requests: (seconds: number) => 10 + 5 * Math.ceil(assets / 50) + (6 + assets / 100) * seconds,
  events: (seconds: number) => 60 + assets + 20 * seconds,
}));

describe.each(budgets)('$assets assets', ({ assets, requests, events }) => {
  let cost: Cost;
  beforeAll(async () => {
    cost = await runs.costOf(assets);
  });

  it('all become pictures', () => {
    expect(cost.report).toMatchObject({ outcome: 'complete', assets: { complete: assets } });
    expect(cost.report.files).toHaveLength(assets);
  });

  it('need requests within the budget, and no fewer than full batches need', () => {
    expect(cost.requests).toBeLessThanOrEqual(requests(cost.report.seconds));
    expect(cost.requests).toBeGreaterThanOrEqual(fewestRequests(assets) - Math.ceil(assets / 50));
    expect(cost.limited).toBe(0);
  });

  it('are submitted in full calls: 50 files a job, and few calls for projects and renders', () => {
    const { byOperation } = cost.report.requests;
    const fullCalls = Math.ceil(assets / 50);
    expect(byOperation).toMatchObject({ createJob: fullCalls, confirmJobUploads: fullCalls });
    // Readiness comes in waves, at most one a second, so some calls are not full.
    expect(byOperation['createProjects']).toBeLessThanOrEqual(fullCalls + cost.report.seconds);
    expect(byOperation['createRenders']).toBeLessThanOrEqual(fullCalls + cost.report.seconds);
    // One job of each batch is read for the number of outputs of all its jobs.
    expect(byOperation['getRenderJob'] ?? 0).toBeLessThanOrEqual(byOperation['createRenders'] ?? 0);
    expect(byOperation['getJob'] ?? 0).toBe(0);
  });

  it('add about one history event each, and some for each wave', () => {
    expect(cost.events).toBeLessThanOrEqual(events(cost.report.seconds));
  });

  it('have their requests and events in the report of the run', () => {
    // A poll whose response came just as new assets interrupted its wait is in no report.
    const unreported = cost.requests - cost.report.requests.total;
    expect(unreported).toBeGreaterThanOrEqual(0);
    expect(unreported).toBeLessThanOrEqual(4 * requestsPerPoll);
    expect(cost.report.historyEvents).toBe(cost.events);
  });
});
