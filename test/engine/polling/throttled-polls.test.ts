// While the allowance is tight, a poll reads one page of probably finished items, and a wait continues with the items
// that are finished.
import { beforeEach, describe, expect, it } from 'vitest';
import { RequestCounter } from '../../../src/api/request-counter.ts';
import type { StatusPoller } from '../../../src/engine/polling/status-poller.ts';
import { Gate } from '../_gate.ts';
import { pollerContextOf, statusPollerOf } from './_status-poller.ts';

let nowMs: number;
let looks: string[][];
/** What a poll returns, by id. */
let world: Map<string, string>;
let watch: StatusPoller<string, string>;
let gapMs: number;
let spent: number;
let answered: Map<string, Gate>;

const ask = (...ids: string[]) => watch.poll(ids, { requests: new RequestCounter() });

describe('polls while the allowance is tight', () => {
  const ids = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `t${from + index}`);

  beforeEach(() => {
    nowMs = 1_000_000;
    looks = [];
    world = new Map();
    gapMs = 600;
    spent = 0;
    answered = new Map();
    const context = pollerContextOf(() => nowMs, { limit: 600, pressure: () => spent });
    watch = statusPollerOf(context, {
      read: async (asked, { report }) => {
        looks.push([...asked]);
        const known = (some: readonly string[]) =>
          new Map(some.flatMap((id) => (world.has(id) ? [[id, world.get(id) ?? '']] : [])));
        report(known(asked.slice(0, 1)));
        await answered.get(asked[0] ?? '')?.opened;
        return known(asked);
      },
      minIntervalMs: () => gapMs,
      pageSize: 10,
      reads: 'page',
    });
  });

  /** Polls an item that takes 4 s, and then spends the allowance. */
  async function learnt(): Promise<void> {
    world.set('first', 'busy');
    await ask('first');
    nowMs += 4_000;
    world.set('first', 'ready');
    await ask('first');
    looks.length = 0;
    spent = 0.9;
    gapMs = 60_000;
  }

  it('only full pages of probably finished items are polled', async () => {
    await learnt();
    const all = ids(0, 35);
    for (const id of all) world.set(id, 'ready');
    await ask(...all);
    expect(looks).toEqual([]);
    nowMs += 4_000;
    const known = await ask(...all);
    // Each finished page is followed by the next.
    expect(looks.map((page) => page.length)).toEqual([10, 10, 10]);
    expect(known.size).toBe(30);
  });

  it('a wait that can continue with some items does so while another page is in flight', async () => {
    await learnt();
    const all = ids(0, 20);
    for (const id of all) world.set(id, 'ready');
    await ask(...all);
    nowMs += 4_000;
    const late = new Gate();
    answered.set('t10', late);
    const asker = { requests: new RequestCounter(), wait: { batchAssets: 8 } };
    const known = await watch.poll(all, asker);
    expect([...known.keys()]).toEqual(ids(0, 11));
    late.open();
    expect((await ask(...all)).size).toBe(20);
  });

  it('no page follows once no wait needs it', async () => {
    await learnt();
    const all = ids(0, 40);
    for (const id of all) world.set(id, 'busy');
    await ask(...all);
    nowMs += 4_000;
    const gates = ['t0', 't10'].map((id) => {
      const gate = new Gate();
      answered.set(id, gate);
      return gate;
    });
    const leaving = new AbortController();
    const asked = watch.poll(all, { requests: new RequestCounter(), signal: leaving.signal });
    leaving.abort(new Error('gone'));
    await expect(asked).rejects.toThrow('gone');
    for (const gate of gates) gate.open();
    await new Promise((resolve) => setImmediate(resolve));
    expect(looks).toHaveLength(2);
  });
});
