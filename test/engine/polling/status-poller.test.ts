// All waits of a worker share at most one poll per interval, however often they request statuses.
import { afterEach, beforeEach, describe, expect, it, type MockInstance, test, vi } from 'vitest';
import { RequestCounter } from '../../../src/api/request-counter.ts';
import { computePollLag, type PollerContext } from '../../../src/engine/polling/poller-context.ts';
import type { StatusPoller } from '../../../src/engine/polling/status-poller.ts';
import { Gate } from '../_gate.ts';
import { pollerContextOf, statusPollerOf } from './_status-poller.ts';

let nowMs: number;
let looks: string[][];
/** What a poll returns, by id. A poll does not cover missing items. */
let world: Map<string, string>;
let hold: Promise<void> | null;
let watch: StatusPoller<string, string>;
let gapMs: number;
let context: PollerContext;

beforeEach(() => {
  nowMs = 1_000_000;
  looks = [];
  world = new Map();
  hold = null;
  gapMs = 600;
  context = pollerContextOf(() => nowMs);
  watch = statusPollerOf(context, {
    read: async (ids) => {
      looks.push([...ids]);
      if (hold) await hold;
      return new Map(ids.flatMap((id) => (world.has(id) ? [[id, world.get(id) ?? '']] : [])));
    },
    minIntervalMs: () => gapMs,
  });
});

const ask = (...ids: string[]) => watch.poll(ids, { requests: new RequestCounter() });
const lookOf = async (id: string) => (await ask(id)).get(id)?.status;

/** A poll that fails whenever it starts. */
function refused(): Promise<never> {
  const failed = Promise.reject(new Error('502'));
  failed.catch(() => undefined);
  return failed;
}

describe('the interval between polls', () => {
  it('an interval has one poll, for the items that the first request waits for', async () => {
    world.set('a', 'busy');
    expect(await lookOf('a')).toBe('busy');
    expect(looks).toEqual([['a']]);
  });

  it('a second request within the interval is answered from memory', async () => {
    world.set('a', 'busy');
    await ask('a');
    world.set('a', 'ready');
    nowMs += 300;
    expect(await lookOf('a')).toBe('busy');
    expect(looks).toHaveLength(1);
  });

  it('an item that was not polled has no status until the next interval polls it', async () => {
    await ask('a');
    world.set('b', 'busy');
    nowMs += 300;
    expect(await ask('b')).toEqual(new Map());
    nowMs += 700;
    expect(await lookOf('b')).toBe('busy');
  });

  it('the poll includes a request that arrives just after the first', async () => {
    world.set('a', 'busy').set('b', 'busy');
    await ask('a');
    nowMs += 50;
    expect(await lookOf('b')).toBe('busy');
  });

  it('the next interval polls everything that has been requested', async () => {
    await ask('a', 'b');
    nowMs += 20;
    await ask('c');
    looks.length = 0;
    nowMs += 1_000;
    await ask('c');
    expect(looks).toEqual([['a', 'b', 'c']]);
  });

  it('the interval is longer if the allowance is tight', async () => {
    await ask('a');
    gapMs = 12_000;
    nowMs += 11_999;
    await ask('a');
    expect(looks).toHaveLength(1);
    nowMs += 1;
    await ask('a');
    expect(looks).toHaveLength(2);
  });
});

describe('a finished item', () => {
  it('a finished item is not polled again', async () => {
    world.set('a', 'ready').set('b', 'busy');
    await ask('a', 'b');
    nowMs += 1_000;
    expect((await ask('a', 'b')).get('a')?.status).toBe('ready');
    expect(looks[1]).toEqual(['b']);
  });

  it('a finished item keeps the time at which it was first seen to be finished', async () => {
    world.set('a', 'ready');
    await ask('a');
    const recordedAtMs = nowMs;
    nowMs += 5_000;
    expect((await ask('a')).get('a')).toEqual({ status: 'ready', recordedAtMs });
  });

  it('a finished item needs no poll if all others are finished too', async () => {
    world.set('a', 'ready');
    await ask('a');
    nowMs += 5_000;
    await ask('a');
    expect(looks).toHaveLength(1);
  });
});

describe('a request at the time of a poll', () => {
  it('the request sends nothing, because the poll has covered it', async () => {
    world.set('a', 'busy').set('b', 'busy');
    watch.track(['b']);
    await ask('a');
    nowMs += 50;
    expect(await lookOf('b')).toBe('busy');
    expect(looks).toEqual([['b', 'a']]);
  });
});

describe('poll lag', () => {
  // The item was open at age 0 and finished at `tookMs`, so half of `tookMs` is its estimated duration.
  test.each<[string, number, number, number]>([
    ['is the interval divided by the estimated duration of items', 20_000, 80_000, 0.5],
    ['is small for items that take a long time', 30_000, 600_000, 0.1],
    ['is at most 1', 60_000, 4_000, 1],
  ])('the poll lag %s', async (_what, gap, tookMs, share) => {
    world.set('a', 'busy').set('b', 'busy');
    await ask('a', 'b');
    expect(computePollLag(context)).toBe(0);
    world.set('a', 'ready');
    nowMs += tookMs;
    await ask('a', 'b');
    gapMs = gap;
    expect(computePollLag(context)).toBeCloseTo(share);
  });
});

describe('a cancelled request', () => {
  it('the cancelled request ends immediately, and the poll continues for the others', async () => {
    world.set('a', 'busy');
    const gate = new Gate();
    hold = gate.opened;
    const leaving = new AbortController();
    const gone = watch.poll(['a'], { requests: new RequestCounter(), signal: leaving.signal });
    const stays = lookOf('a');
    leaving.abort(new Error('its worker stops'));
    await expect(gone).rejects.toThrow('its worker stops');
    gate.open();
    expect(await stays).toBe('busy');
    expect(looks).toHaveLength(1);
  });
});

describe('a request for known statuses', () => {
  const know = async (...ids: string[]) => {
    const known = await watch.readKnown(ids, { requests: new RequestCounter() });
    return ids.map((id) => known.get(id)?.status);
  };
  beforeEach(async () => {
    world.set('a', 'busy').set('b', 'busy').set('c', 'ready');
    await ask('a');
    looks.length = 0;
    nowMs += 300;
  });

  it('the request polls only items that no poll has covered', async () => {
    expect(await know('a', 'b')).toEqual(['busy', 'busy']);
    expect(looks).toEqual([['b']]);
  });

  it('the request is answered from memory if possible', async () => {
    await know('c');
    expect(await know('c', 'a')).toEqual(['ready', 'busy']);
    expect(looks).toEqual([['c']]);
  });
});

describe('a poll in flight', () => {
  it('a poll in flight is shared by all requests for its items', async () => {
    const gate = new Gate();
    hold = gate.opened;
    world.set('a', 'busy');
    const first = ask('a');
    nowMs += 2_000;
    const second = ask('a');
    await gate.until(() => looks.length === 1);
    gate.open();
    expect((await first).get('a')?.status).toBe('busy');
    expect((await second).get('a')?.status).toBe('busy');
    expect(looks).toHaveLength(1);
  });

  it('a failed poll rejects the requests that share it, and the next interval retries it', async () => {
    hold = refused();
    const asked = Promise.allSettled([ask('a'), ask('a')]);
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    hold = null;
    world.set('a', 'busy');
    nowMs += 1_000;
    expect(await lookOf('a')).toBe('busy');
  });
});

describe('a request for other items', () => {
  it('the request joins a poll that is about to start', async () => {
    watch.track(['a']);
    const both = [ask('a'), watch.readKnown(['b'], { requests: new RequestCounter() })];
    await Promise.all(both);
    expect(looks).toEqual([['a', 'b']]);
  });

  it('requests that arrive during a poll share the next one', async () => {
    const gate = new Gate();
    hold = gate.opened;
    const know = (id: string) => watch.readKnown([id], { requests: new RequestCounter() });
    const first = know('a');
    await gate.until(() => looks.length === 1);
    const others = [know('b'), know('c')];
    await gate.turns(60);
    expect(looks).toEqual([['a']]);
    gate.open();
    await Promise.all([first, ...others]);
    expect(looks).toEqual([['a'], ['b', 'c']]);
  });
});

describe("the poller's memory", () => {
  it('items that have not been requested for two minutes are forgotten', async () => {
    world.set('a', 'ready').set('b', 'busy');
    await ask('a', 'b');
    nowMs += 121_000;
    await ask('b');
    expect(looks.at(-1)).toEqual(['b']);
    nowMs += 1_000;
    await ask('a');
    expect(looks.at(-1)).toContain('a');
  });

  it('items that are rarely requested because of long intervals are kept', async () => {
    gapMs = 40_000;
    world.set('a', 'busy');
    await ask('a');
    for (let tick = 0; tick < 4; tick += 1) {
      nowMs += 150_000;
      await ask('b');
      expect(looks.at(-1)).toContain('a');
      await ask('a');
    }
  });
});

describe('wake-ups', () => {
  let again: MockInstance;
  let wholeBoard: boolean;
  const hint = (...ids: string[]) => {
    context.wakeUps.receive(ids.map((id) => `model/${id}`));
    again.mockClear();
  };
  const withHints = () =>
    statusPollerOf(context, {
      read: async (ids, { wokenIds }) => {
        looks.push(ids.map((id) => (wokenIds.has(id) ? `${id}!` : id)));
        if (hold) await hold;
        return new Map(ids.map((id) => [id, world.get(id) ?? 'busy']));
      },
      minIntervalMs: () => gapMs,
      wakeUps: { kind: 'model', idOf: (id) => id },
      reads: wholeBoard ? 'all' : 'page',
    });
  beforeEach(async () => {
    context.wakeUps.isListening = true;
    again = vi.spyOn(context.wakeUps, 'wakeWaitsSoon');
    wholeBoard = false;
    watch = withHints();
    await ask('a', 'b', 'c');
    looks.length = 0;
    nowMs += 300;
  });
  afterEach(() => context.wakeUps.close());

  it('wake-ups make the next request poll their items, even within the interval', async () => {
    world.set('a', 'ready');
    hint('a');
    expect(await lookOf('a')).toBe('ready');
    await ask('b', 'c');
    expect(looks).toEqual([['a!']]);
  });

  it('wake-ups make the next request poll all items if that costs no more', async () => {
    wholeBoard = true;
    watch = withHints();
    await ask('a', 'b', 'c');
    looks.length = 0;
    nowMs += 300;
    hint('a');
    await ask('a', 'b', 'c');
    expect(looks).toEqual([['a!', 'b', 'c']]);
  });

  it('wake-ups of all shards cause one poll, and those that follow shortly afterwards wait', async () => {
    hint('a', 'b');
    await ask('a');
    nowMs += 50;
    hint('c');
    await ask('b');
    await ask('c');
    expect(looks).toEqual([['a!', 'b!']]);
    expect(again).toHaveBeenCalledTimes(1);
    nowMs += 142;
    await ask('c');
    expect(looks.at(-1)).toEqual(['c!']);
  });

  it("each poll's finished items are passed to the wake-ups", async () => {
    const told = vi.spyOn(context.wakeUps, 'recordFinished');
    world.set('a', 'ready').set('b', 'busy');
    hint('a', 'b');
    await ask('a', 'b');
    expect(told.mock.calls).toEqual([['model/a']]);
  });

  it('wake-ups that arrive while their item is being polled are not lost', async () => {
    const gate = new Gate();
    hold = gate.opened;
    hint('a');
    const asked = ask('a');
    await gate.until(() => looks.length === 1);
    hint('a');
    gate.open();
    await asked;
    expect(again).toHaveBeenCalledTimes(1);
  });

  it('wrong wake-ups cause only one poll', async () => {
    hint('a');
    expect(await lookOf('a')).toBe('busy');
    nowMs += 300;
    await ask('a');
    expect(looks).toHaveLength(1);
  });

  it('wake-ups for finished items cause no poll', async () => {
    world.set('a', 'ready');
    hint('a');
    await ask('a');
    hint('a');
    nowMs += 300;
    await ask('a');
    expect(looks).toHaveLength(1);
  });

  it('after a missed wake-up, an item is found by the next poll of all items', async () => {
    world.set('a', 'ready');
    nowMs += 4_600;
    expect(await lookOf('a')).toBe('busy');
    nowMs += 200;
    expect(await lookOf('a')).toBe('ready');
  });

  it('wake-ups for one item do not delay the poll of the others', async () => {
    nowMs += 4_000;
    hint('a');
    await ask('a');
    nowMs += 1_000;
    await ask('a');
    expect(looks).toEqual([['a!'], ['a', 'b', 'c']]);
  });

  it('a poll of all items after wake-ups postpones the next poll', async () => {
    wholeBoard = true;
    watch = withHints();
    await ask('a', 'b', 'c');
    looks.length = 0;
    nowMs += 4_000;
    hint('a');
    await ask('a');
    nowMs += 4_000;
    await ask('a');
    expect(looks).toHaveLength(1);
  });

  it('wake-ups are expected for an item that was just created, but not for an unknown item', async () => {
    nowMs += 700;
    watch.recordCreated(['d']);
    expect(await ask('d')).toEqual(new Map());
    expect(looks).toEqual([]);
    await ask('e');
    expect(looks).toEqual([['a', 'b', 'c', 'd', 'e']]);
  });

  it('the intervals stay the same if no receiver is listening', async () => {
    context.wakeUps.isListening = false;
    nowMs += 600;
    await ask('a');
    expect(looks).toEqual([['a', 'b', 'c']]);
  });

  it('a poll that fails after wake-ups is repeated in the next interval', async () => {
    hold = refused();
    hint('a');
    await expect(ask('a')).rejects.toThrow('502');
    hold = null;
    nowMs += 600;
    world.set('a', 'ready');
    expect(await lookOf('a')).toBe('ready');
  });
});
