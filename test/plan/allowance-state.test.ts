import { describe, expect, it } from 'vitest';
import type { Lease, LeaseRequest } from '../../src/plan/allowance/allowance-contract.ts';
import { AllowanceState } from '../../src/plan/allowance/allowance-state.ts';

const nobody = [0, 0, 0, 0, 0, 0];

/** A state with a manual clock, and workers that follow their leases. */
function setUp(limit?: number) {
  let state = new AllowanceState(0);
  let nowMs = 0;
  const told = new Map<string, Lease>();
  const turns = new Map<string, number>();
  const ask = (worker: string, more: Partial<LeaseRequest> = {}): Lease => {
    const turn = (turns.get(worker) ?? 0) + 1;
    turns.set(worker, turn);
    const obeys = told.get(worker)?.allotment ?? null;
    const own = {
      worker,
      sequence: turn,
      currentAllotment: obeys,
      heldPermits: 0,
      wantedPermits: 0,
      requestCounts: nobody,
    };
    const lease = state.lease(
      { ...own, ...(limit === undefined ? {} : { limit }), ...more },
      nowMs,
    );
    told.set(worker, lease);
    return lease;
  };
  return {
    ask,
    get state() {
      return state;
    },
    turnOf: (worker: string) => turns.get(worker) ?? 0,
    leave: (worker: string, holds: number, sent = nobody) =>
      state.leave(
        { worker, sequence: (turns.get(worker) ?? 0) + 1, heldPermits: holds, requestCounts: sent },
        nowMs,
      ),
    at: (seconds: number) => {
      nowMs = seconds * 1_000;
    },
    /** Continues with the state that is carried into the next execution. */
    continueAsNew: () => {
      state = new AllowanceState(nowMs, JSON.parse(JSON.stringify(state.carried())));
    },
    forgetAll: () => {
      state = new AllowanceState(nowMs);
    },
  };
}

describe('the allotment of one worker', () => {
  it('a worker gets no allotment while the allowance is unknown', () => {
    expect(setUp().ask('a', { wantedPermits: 9 })).toMatchObject({ allotment: null, limit: null });
  });

  it('a worker gets nearly all permits if it wants them, and then queries rarely', () => {
    const lease = setUp(200).ask('a', { wantedPermits: 900 });
    expect(lease).toMatchObject({
      allotment: 196,
      limit: 200,
      heldByOthers: 0,
      renewAfterMs: 15_000,
    });
  });

  it.each([1, 2, 5])('a worker gets all of an allowance of %i', (limit) => {
    expect(setUp(limit).ask('a', { wantedPermits: 900 }).allotment).toBe(limit);
  });

  it('an idle worker queries once per minute', () => {
    expect(setUp(200).ask('a')).toMatchObject({ allotment: 98, renewAfterMs: 60_000 });
  });
});

describe('redistribution of permits', () => {
  it('a worker that joins gets the free permits, and more as the other worker reports fewer', () => {
    const { ask, at } = setUp(200);
    ask('a', { wantedPermits: 900 });
    at(10);
    expect(ask('b', { wantedPermits: 900 })).toMatchObject({ allotment: 4, renewAfterMs: 2_500 });
    // All permits of the worker are in use, so they become free one by one.
    at(12);
    expect(ask('a', { wantedPermits: 900, heldPermits: 196 })).toMatchObject({
      allotment: 192,
      renewAfterMs: 2_500,
    });
    // Until the worker confirms its new allotment, it may use the old one.
    expect(ask('b', { wantedPermits: 900, heldPermits: 4 }).allotment).toBe(4);
    at(15);
    ask('a', { wantedPermits: 900, heldPermits: 190 });
    expect(ask('b', { wantedPermits: 900, heldPermits: 4 }).allotment).toBe(8);
    at(18);
    ask('a', { wantedPermits: 900, heldPermits: 90 });
    at(20);
    ask('a', { wantedPermits: 900, heldPermits: 90 });
    expect(ask('b', { wantedPermits: 900, heldPermits: 8 }).allotment).toBe(98);
  });

  it('the reserve stays free while a worker still has more than its share', () => {
    const { ask, at } = setUp(200);
    ask('a', { wantedPermits: 76 });
    ask('b', { wantedPermits: 50 });
    ask('c', { wantedPermits: 50 });
    let others = 0;
    for (let seconds = 3; seconds < 30; seconds += 3) {
      at(seconds);
      ask('a', { wantedPermits: 160, heldPermits: 76 });
      const grown = ['b', 'c'].map((name) => ask(name, { wantedPermits: 140 }).allotment ?? 0);
      others = grown.reduce((sum, one) => sum + one);
    }
    expect(76 + others).toBe(196);
  });

  it('a lost response counts until the worker queries again', () => {
    const { ask, state } = setUp(100);
    const request = { worker: 'a', heldPermits: 0, wantedPermits: 900, requestCounts: nobody };
    state.lease({ ...request, sequence: 1, currentAllotment: null, limit: 100 }, 0);
    expect(ask('b', { wantedPermits: 900 }).allotment).toBe(2);
    // The worker never received its 98 permits.
    state.lease({ ...request, sequence: 2, currentAllotment: null, wantedPermits: 10 }, 1_000);
    expect(ask('b', { wantedPermits: 900 }).allotment).toBe(88);
  });

  it('a late query does not change the state', () => {
    const { ask, state } = setUp(100);
    ask('a', { wantedPermits: 50 });
    const { allotment } = ask('a', { wantedPermits: 80, heldPermits: 60 });
    const late = {
      worker: 'a',
      sequence: 1,
      currentAllotment: null,
      heldPermits: 0,
      wantedPermits: 0,
      requestCounts: nobody,
    };
    expect(state.lease(late, 0)).toMatchObject({ allotment });
    expect(state.members(0)).toMatchObject([
      { sequence: 2, heldPermits: 60, wantedPermits: 80, allotment },
    ]);
  });

  it('permits of a dead worker are free again one window after its lease', () => {
    const { ask, at } = setUp(100);
    const { leaseMs } = ask('dead', { wantedPermits: 900 });
    const endS = leaseMs / 1_000;
    for (const seconds of [10, endS, endS + 59]) {
      at(seconds);
      expect(ask('b', { wantedPermits: 900 }).allotment).toBe(2);
    }
    at(endS + 60);
    expect(ask('b', { wantedPermits: 900 }).allotment).toBe(98);
  });

  it('permits of a worker that has left are free again as its requests expire', () => {
    const { ask, at, leave } = setUp(100);
    ask('a', { wantedPermits: 900 });
    at(10);
    leave('a', 60, [10, 20, 0, 30, 0, 0]);
    const found: unknown[] = [];
    for (const seconds of [10, 41, 42, 53, 63, 72]) {
      at(seconds);
      found.push(ask('b', { wantedPermits: 900 }).allotment);
    }
    expect(found).toEqual([40, 40, 68, 68, 88, 98]);
  });

  it('twenty workers take turns with five permits', () => {
    const { ask, at } = setUp(5);
    const names = Array.from({ length: 20 }, (_, index) => `w${index}`);
    const spentAt = new Map<string, number[]>(names.map((name) => [name, []]));
    const heldBy = (name: string, second: number) =>
      (spentAt.get(name) ?? []).filter((atS) => second - atS < 60).length;
    for (let second = 0; second < 600; second += 3) {
      at(second);
      for (const name of names) {
        const lease = ask(name, { wantedPermits: 3, heldPermits: heldBy(name, second) });
        if (heldBy(name, second) < (lease.allotment ?? 0)) spentAt.get(name)?.push(second);
      }
      const held = names.reduce((sum, name) => sum + heldBy(name, second), 0);
      expect(held).toBeLessThanOrEqual(5);
    }
    const turns = names.map((name) => spentAt.get(name)?.length ?? 0);
    expect(Math.min(...turns)).toBeGreaterThanOrEqual(2);
    expect(Math.max(...turns)).toBeLessThanOrEqual(3);
  });
});

describe('a learned limit of the allowance', () => {
  it('a learned limit is kept when workers stop, and when the workflow continues as new', () => {
    const { ask, at, leave, continueAsNew } = setUp();
    ask('a', { refusal: { agoMs: 0, limit: 300, resetInMs: 30_000 } });
    leave('a', 0);
    continueAsNew();
    at(3_600);
    expect(ask('b', { wantedPermits: 900 })).toMatchObject({ limit: 300, allotment: 294 });
  });

  it('a limit is learned again after a day, since it may have been raised', () => {
    const { ask, at } = setUp();
    ask('a', { refusal: { agoMs: 0, limit: 300, resetInMs: 30_000 } });
    at(86_401);
    expect(ask('a').limit).toBeNull();
  });

  it('a learned limit overrides the limit in the settings, which applies until then', () => {
    const { ask } = setUp();
    expect(ask('a', { limit: 200 }).limit).toBe(200);
    expect(ask('a', { limit: 250 }).limit).toBe(250);
    expect(ask('a', { refusal: { agoMs: 0, limit: 300 } }).limit).toBe(300);
    expect(ask('a', { limit: 250 }).limit).toBe(300);
  });
});

describe('a workflow that was terminated and started again by a worker', () => {
  it('the new workflow does not raise an allotment until all workers have reported theirs', () => {
    const { ask, at, forgetAll } = setUp(200);
    for (const name of ['a', 'b']) ask(name, { wantedPermits: 900 });
    at(3);
    for (const name of ['a', 'b', 'a', 'b']) ask(name, { wantedPermits: 900 });
    const had = ask('a', { wantedPermits: 900 }).allotment;
    forgetAll();
    expect(ask('a', { wantedPermits: 900 }).allotment).toBe(had);
    expect(ask('new', { wantedPermits: 900 }).allotment).toBeLessThanOrEqual(4);
    at(70);
    ask('b', { wantedPermits: 900 });
    ask('a', { wantedPermits: 900 });
    at(71);
    const [a, b, fresh] = ['a', 'b', 'new'].map(
      (name) => ask(name, { wantedPermits: 900 }).allotment ?? 0,
    );
    expect((a ?? 0) + (b ?? 0) + (fresh ?? 0)).toBeLessThanOrEqual(200);
  });
});

describe('a refusal by the platform', () => {
  const sent = (count: number) => [count, 0, 0, 0, 0, 0];

  it('a refusal blocks every worker until the window of the platform ends', () => {
    const { ask, at } = setUp(100);
    ask('a', {
      requestCounts: sent(100),
      refusal: { agoMs: 1_000, limit: 100, resetInMs: 20_000 },
    });
    at(5);
    expect(ask('b').blockedForMs).toBe(14_000);
    at(19);
    expect(ask('b').blockedForMs).toBe(0);
  });

  it('a refusal that our own requests explain does not lower the limit', () => {
    const { ask, at } = setUp(100);
    for (const second of [0, 70, 140]) {
      at(second);
      ask('a', { requestCounts: sent(98), refusal: { agoMs: 0, limit: 100, resetInMs: 30_000 } });
    }
    expect(ask('a', { wantedPermits: 900 }).limit).toBe(100);
  });

  it('a refusal that recurs at half of our requests leaves the other half to other clients', () => {
    const { ask, at } = setUp(100);
    const refused = { agoMs: 0, limit: 100, resetInMs: 30_000 };
    ask('a', { requestCounts: sent(25) });
    ask('b', { requestCounts: sent(25), refusal: refused });
    expect(ask('b').limit).toBe(100);
    at(60);
    ask('a', { requestCounts: sent(25) });
    expect(ask('b', { requestCounts: sent(25), refusal: refused }).limit).toBe(50);
  });

  it('after a refusal, the limit rises gradually to its full value', () => {
    const { ask, at } = setUp(100);
    for (const second of [0, 60]) {
      at(second);
      ask('a', { requestCounts: sent(40), refusal: { agoMs: 0, limit: 100, resetInMs: 20_000 } });
    }
    const limits = [1, 2, 3, 4, 5, 6, 7, 8].map((minutes) => {
      at(60 + minutes * 60);
      return ask('a').limit;
    });
    expect(limits).toEqual([40, 40, 50, 60, 70, 80, 90, 100]);
  });

  it('a refusal in one window counts once, however many workers report it', () => {
    const { ask, at } = setUp(100);
    const refused = { agoMs: 0, limit: 100, resetInMs: 50_000 };
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      at(index);
      ask(name, { requestCounts: sent(1), refusal: refused });
    }
    expect(ask('a').limit).toBe(100);
  });
});

describe('a worker whose clock is wrong', () => {
  it('a wrong clock is reported until it is right or the worker is gone', () => {
    const allowance = setUp(200);
    const { ask, at, continueAsNew } = allowance;
    ask('a');
    ask('b', { clockAheadMs: 90_000_000 });
    continueAsNew();
    expect(allowance.state.clockSkews(0)).toEqual([{ worker: 'b', aheadMs: 90_000_000 }]);
    ask('b');
    expect(allowance.state.clockSkews(0)).toEqual([]);
    ask('b', { clockAheadMs: -90_000_000 });
    at(1_000);
    expect(allowance.state.clockSkews(1_000_000)).toEqual([]);
  });
});
