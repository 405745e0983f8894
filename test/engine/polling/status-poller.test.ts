// At most one poll per interval for all waits of a worker, however often they request statuses.
import { afterEach, beforeEach, describe, expect, it, type MockInstance, test, vi } from 'vitest';
import { RequestCounter } from '../../../src/api/request-counter.ts';
import { type PollerContext, pollLag } from '../../../src/engine/polling/poller-context.ts';
import type { StatusPoller } from '../../../src/engine/polling/status-poller.ts';
import { Gate } from '../_gate.ts';
import { pollerContextOf, statusPollerOf } from './_status-poller.ts';

let nowMs: number;
let looks: string[][];
/** What a poll sees, by id; missing items are not covered by it. */
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

describe('a tick', () => {
  it('is one look, at what the first who asks waits for', async () => {
    world.set('a', 'busy');
    expect(await lookOf('a')).toBe('busy');
    expect(looks).toEqual([['a']]);
  });

  it('a second one who asks in it is answered from memory', async () => {
    world.set('a', 'busy');
    await ask('a');
    world.set('a', 'ready');
    nowMs += 300;
    expect(await lookOf('a')).toBe('busy');
    expect(looks).toHaveLength(1);
  });

  it('what nobody has looked at yet is missing, and looked at in the next tick', async () => {
    await ask('a');
    world.set('b', 'busy');
    nowMs += 300;
    expect(await ask('b')).toEqual(new Map());
    nowMs += 700;
    expect(await lookOf('b')).toBe('busy');
  });

  it('who asks just after the first joins its tick', async () => {
    world.set('a', 'busy').set('b', 'busy');
    await ask('a');
    nowMs += 50;
    expect(await lookOf('b')).toBe('busy');
  });

  it('the next one looks at everything that anybody waits for', async () => {
    await ask('a', 'b');
    nowMs += 20;
    await ask('c');
    looks.length = 0;
    nowMs += 1_000;
    await ask('c');
    expect(looks).toEqual([['a', 'b', 'c']]);
  });

  it('is longer when the budget is tight', async () => {
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

describe('what is over', () => {
  it('is not looked at again', async () => {
    world.set('a', 'ready').set('b', 'busy');
    await ask('a', 'b');
    nowMs += 1_000;
    expect((await ask('a', 'b')).get('a')?.status).toBe('ready');
    expect(looks[1]).toEqual(['b']);
  });

  it('tells since when it is known', async () => {
    world.set('a', 'ready');
    await ask('a');
    const sinceMs = nowMs;
    nowMs += 5_000;
    expect((await ask('a')).get('a')).toEqual({ status: 'ready', sinceMs });
  });

  it('costs no look at all when everything is', async () => {
    world.set('a', 'ready');
    await ask('a');
    nowMs += 5_000;
    await ask('a');
    expect(looks).toHaveLength(1);
  });
});

describe('who asks again in the moment of a tick', () => {
  it('costs nothing: the look has covered it', async () => {
    world.set('a', 'busy').set('b', 'busy');
    watch.track(['b']);
    await ask('a');
    nowMs += 50;
    expect(await lookOf('b')).toBe('busy');
    expect(looks).toEqual([['b', 'a']]);
  });
});

describe('looks', () => {
  test.each<[string, number, number, number]>([
    ['come late by their gap beside what things take', 20_000, 40_000, 0.5],
    ['come soon enough for what takes long', 30_000, 300_000, 0.1],
    ['cannot come later than wholly late', 60_000, 4_000, 1],
  ])('%s', async (_what, gap, tookMs, share) => {
    world.set('a', 'busy').set('b', 'busy');
    await ask('a', 'b');
    expect(pollLag(context)).toBe(0);
    world.set('a', 'ready');
    nowMs += tookMs;
    await ask('a', 'b');
    gapMs = gap;
    expect(pollLag(context)).toBeCloseTo(share);
  });
});

describe('who is cancelled', () => {
  it('leaves at once, and the look goes on for the others', async () => {
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

describe('who has to know at once', () => {
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

  it('has looked at what no look has covered, and at nothing else', async () => {
    expect(await know('a', 'b')).toEqual(['busy', 'busy']);
    expect(looks).toEqual([['b']]);
  });

  it('is answered from memory where there is one', async () => {
    await know('c');
    expect(await know('c', 'a')).toEqual(['ready', 'busy']);
    expect(looks).toEqual([['c']]);
  });
});

describe('a look under way', () => {
  it('is waited for by all who ask for what it looks at', async () => {
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

  it('that fails, fails for those, and the next tick tries again', async () => {
    hold = refused();
    const asked = Promise.allSettled([ask('a'), ask('a')]);
    expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    hold = null;
    world.set('a', 'busy');
    nowMs += 1_000;
    expect(await lookOf('a')).toBe('busy');
  });
});

describe('who asks for something else', () => {
  it('while a look is about to start shares it', async () => {
    watch.track(['a']);
    const both = [ask('a'), watch.readKnown(['b'], { requests: new RequestCounter() })];
    await Promise.all(both);
    expect(looks).toEqual([['a', 'b']]);
  });

  it('during a look shares the next one', async () => {
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

describe('memory', () => {
  it('forgets what nobody has asked about for two minutes', async () => {
    world.set('a', 'ready').set('b', 'busy');
    await ask('a', 'b');
    nowMs += 121_000;
    await ask('b');
    expect(looks.at(-1)).toEqual(['b']);
    nowMs += 1_000;
    await ask('a');
    expect(looks.at(-1)).toContain('a');
  });

  it('keeps what is asked about rarely because ticks are long', async () => {
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

describe('hints', () => {
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

  it('make the next question a look at what they are about, within a tick', async () => {
    world.set('a', 'ready');
    hint('a');
    expect(await lookOf('a')).toBe('ready');
    await ask('b', 'c');
    expect(looks).toEqual([['a!']]);
  });

  it('make it a look at everything where that costs no more', async () => {
    wholeBoard = true;
    watch = withHints();
    await ask('a', 'b', 'c');
    looks.length = 0;
    nowMs += 300;
    hint('a');
    await ask('a', 'b', 'c');
    expect(looks).toEqual([['a!', 'b', 'c']]);
  });

  it('of all shards make one look; those that come soon after it wait', async () => {
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

  it('are told what was found over', async () => {
    const told = vi.spyOn(context.wakeUps, 'recordFinished');
    world.set('a', 'ready').set('b', 'busy');
    hint('a', 'b');
    await ask('a', 'b');
    expect(told.mock.calls).toEqual([['model/a']]);
  });

  it('that come while their item is looked at are not lost', async () => {
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

  it('that lie are answered by a look, once', async () => {
    hint('a');
    expect(await lookOf('a')).toBe('busy');
    nowMs += 300;
    await ask('a');
    expect(looks).toHaveLength(1);
  });

  it('about what is over already are no reason for a look', async () => {
    world.set('a', 'ready');
    hint('a');
    await ask('a');
    hint('a');
    nowMs += 300;
    await ask('a');
    expect(looks).toHaveLength(1);
  });

  it('that are lost cost a wait until the next look at everything', async () => {
    world.set('a', 'ready');
    nowMs += 4_600;
    expect(await lookOf('a')).toBe('busy');
    nowMs += 200;
    expect(await lookOf('a')).toBe('ready');
  });

  it('about one thing leave the others to their own time', async () => {
    nowMs += 4_000;
    hint('a');
    await ask('a');
    nowMs += 1_000;
    await ask('a');
    expect(looks).toEqual([['a!'], ['a', 'b', 'c']]);
  });

  it('with a look at everything put the next one off', async () => {
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

  it('are waited for where something was made just now, not where nothing is known of it', async () => {
    nowMs += 700;
    watch.recordCreated(['d']);
    expect(await ask('d')).toEqual(new Map());
    expect(looks).toEqual([]);
    await ask('e');
    expect(looks).toEqual([['a', 'b', 'c', 'd', 'e']]);
  });

  it('that nobody relies on leave the ticks as they are', async () => {
    context.wakeUps.isListening = false;
    nowMs += 600;
    await ask('a');
    expect(looks).toEqual([['a', 'b', 'c']]);
  });

  it('whose look failed are made up for by the next tick', async () => {
    hold = refused();
    hint('a');
    await expect(ask('a')).rejects.toThrow('502');
    hold = null;
    nowMs += 600;
    world.set('a', 'ready');
    expect(await lookOf('a')).toBe('ready');
  });
});
