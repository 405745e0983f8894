// No sliding window holds more than the allowance, whatever workers, messages and the workflow do, and in whatever
// order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bucketsPerWindow,
  type Lease,
  type LeaseRequest,
  minLeaseMs,
  windowMs,
} from '../../src/plan/allowance/allowance-contract.ts';
import { AllowanceState } from '../../src/plan/allowance/allowance-state.ts';

type Event =
  | { does: 'sends'; worker: number; requests: number }
  | { does: 'asks'; worker: number; wantedPermits: number; arrives: boolean; hears: boolean }
  | { does: 'dies' | 'leaves' | 'joins'; worker: number }
  | { does: 'waits'; ms: number }
  | { does: 'continues' };

const workers = 6;
const worker = fc.nat(workers - 1);
const event: fc.Arbitrary<Event> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ does: fc.constant('sends' as const), worker, requests: fc.nat(40) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('asks' as const),
      worker,
      wantedPermits: fc.nat(120),
      arrives: fc.boolean(),
      hears: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constantFrom('dies' as const, 'leaves' as const, 'joins' as const),
      worker,
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('waits' as const), ms: fc.nat(20_000) }) },
  { weight: 1, arbitrary: fc.constant({ does: 'continues' as const }) },
);

interface Process {
  name: string;
  sequence: number;
  currentAllotment: number | null;
  leaseUntilMs: number;
  sentMs: number[];
}

/** Sends as many requests as the leases allow. Returns the time of each request. */
function play(limit: number, events: readonly Event[]): number[] {
  let nowMs = 0;
  let state = new AllowanceState(0);
  let born = 0;
  const fresh = (): Process => {
    born += 1;
    return { name: `w${born}`, sequence: 0, currentAllotment: null, leaseUntilMs: 0, sentMs: [] };
  };
  const running = Array.from({ length: workers }, fresh);
  const all: number[] = [];
  const holds = ({ sentMs }: Process) => sentMs.filter((ms) => nowMs - ms < windowMs).length;
  const sent = ({ sentMs }: Process) =>
    Array.from({ length: bucketsPerWindow }, (_, part) => {
      const isOf = (ms: number) =>
        Math.floor(((nowMs - ms) * bucketsPerWindow) / windowMs) === part;
      return sentMs.filter(isOf).length;
    });
  const act = (event: Event) => {
    if (event.does === 'waits') nowMs += event.ms;
    else if (event.does === 'continues') {
      state = new AllowanceState(nowMs, JSON.parse(JSON.stringify(state.carried())));
    } else {
      const process = running[event.worker];
      if (!process) return;
      const { name: worker, currentAllotment: obeys } = process;
      if (event.does === 'sends') {
        // A worker with an expired lease does not send requests here, because its minimum rate is not part of the
        // allotments.
        if (nowMs > process.leaseUntilMs) return;
        const free = Math.max(0, (obeys ?? 0) - holds(process));
        for (let index = 0; index < Math.min(free, event.requests); index += 1) {
          process.sentMs.push(nowMs);
          all.push(nowMs);
        }
      } else if (event.does === 'asks') {
        process.sequence += 1;
        if (nowMs > process.leaseUntilMs && obeys !== null) process.currentAllotment = 0;
        const { sequence: turn, currentAllotment: kept } = process;
        const held = holds(process);
        const said = {
          worker,
          sequence: turn,
          currentAllotment: kept,
          heldPermits: held,
          wantedPermits: event.wantedPermits,
        };
        const request: LeaseRequest = { ...said, requestCounts: sent(process), limit };
        process.leaseUntilMs = Math.min(process.leaseUntilMs, nowMs + minLeaseMs);
        if (!event.arrives) return;
        const lease: Lease = state.lease(request, nowMs);
        if (!event.hears) return;
        process.currentAllotment = lease.allotment;
        process.leaseUntilMs = nowMs + lease.leaseMs;
      } else {
        if (event.does === 'leaves') {
          const goodbye = {
            worker,
            sequence: process.sequence + 1,
            heldPermits: holds(process),
            requestCounts: sent(process),
          };
          state.leave(goodbye, nowMs);
        }
        running[event.worker] = fresh();
      }
    }
  };
  for (const event of events) act(event);
  return all;
}

describe('the allowance with any workers, killed workers, lost queries and lost responses', () => {
  it('no sliding window holds more requests than the allowance', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.array(event, { minLength: 1, maxLength: 200, size: 'max' }),
        (limit, events) => {
          const sentMs = play(limit, events);
          for (const [index, atMs] of sentMs.entries()) {
            const later = sentMs[index + limit];
            if (later !== undefined) expect(later - atMs).toBeGreaterThanOrEqual(windowMs);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('requests are actually sent, so that the limit is not kept merely by sending none', () => {
    const events: Event[] = Array.from({ length: 60 }, (_, index): Event[] => [
      { does: 'asks', worker: index % 3, wantedPermits: 100, arrives: true, hears: true },
      { does: 'sends', worker: index % 3, requests: 40 },
      { does: 'waits', ms: 3_000 },
    ]).flat();
    const perWindow = (60 * 3_000) / windowMs;
    expect(play(60, events).length).toBeGreaterThanOrEqual(0.9 * 60 * perWindow);
  });
});
