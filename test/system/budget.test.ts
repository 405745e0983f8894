// What a known run may cost in API requests and history events: a regression in cost is a red test.
import { beforeAll, describe, expect, it } from 'vitest';
import { fewestRequests } from '../../bench/ideal.ts';
import { type Cost, useCost } from './_cost.ts';
import { useProcesses } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const runs = useCost(useTemporal());
useProcesses();

/** Models, projects and renders are each looked for by a request. */
const requestsPerPoll = 3;

/**
 * What a run of so many assets may cost. Assets become ready in waves, and looks are made while they do, so
 * both follow the time that the run takes: a slow machine stretches it, and must not turn a test red. One more
 * event or request for each asset does.
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

  it('cost few requests a second whatever their number, and not fewer than the caps allow', () => {
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
    // One job of each batch tells how many outputs all of its jobs have.
    expect(byOperation['getRenderJob'] ?? 0).toBeLessThanOrEqual(byOperation['createRenders'] ?? 0);
    expect(byOperation['getJob'] ?? 0).toBe(0);
  });

  it('leave about an event an asset, and some for each wave', () => {
    expect(cost.events).toBeLessThanOrEqual(events(cost.report.seconds));
  });

  it('are reported at what they cost', () => {
    // A poll whose response came just as new assets interrupted its wait is in no report.
    const unreported = cost.requests - cost.report.requests.total;
    expect(unreported).toBeGreaterThanOrEqual(0);
    expect(unreported).toBeLessThanOrEqual(4 * requestsPerPoll);
    expect(cost.report.historyEvents).toBe(cost.events);
  });
});
