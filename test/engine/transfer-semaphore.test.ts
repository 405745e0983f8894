// Limits of concurrent transfers.
import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';
import { Gate } from './_gate.ts';

describe('a semaphore', () => {
  it('a semaphore never runs more work than it has permits, and serves waiters in order', async () => {
    const slots = Semaphore.of(2);
    const gates = Array.from({ length: 5 }, () => new Gate());
    const started: number[] = [];
    const all = slots.forEach(gates, async (gate) => {
      started.push(gates.indexOf(gate));
      await gate.opened;
      return gates.indexOf(gate) * 10;
    });
    await gates[0]?.until(() => started.length === 2);
    await gates[0]?.turns(3);
    expect(started).toEqual([0, 1]);
    gates[1]?.open();
    await gates[0]?.until(() => started.length === 3);
    expect(started).toEqual([0, 1, 2]);
    for (const gate of gates) gate.open();
    expect(await all).toEqual([0, 10, 20, 30, 40]);
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });

  it('a semaphore shares its permits between several groups', async () => {
    const slots = Semaphore.of(1);
    let atWork = 0;
    let max = 0;
    const work = async () => {
      atWork += 1;
      max = Math.max(max, atWork);
      await Promise.resolve();
      atWork -= 1;
    };
    await Promise.all([
      slots.forEach([1, 2, 3], work),
      slots.forEach([4, 5], work),
      slots.run(work),
    ]);
    expect(max).toBe(1);
  });

  it('a semaphore completes all work before it reports the first failure, and then releases its permits', async () => {
    const slots = Semaphore.of(1);
    const ended: number[] = [];
    const work = (number: number) => {
      ended.push(number);
      return number === 1 ? Promise.reject(new Error('one broke')) : Promise.resolve(number);
    };
    await expect(slots.forEach([1, 2, 3], work)).rejects.toThrow('one broke');
    expect(ended).toEqual([1, 2, 3]);
    expect(await slots.run(() => Promise.resolve('free'))).toBe('free');
  });

  it('a semaphore releases the permit of work that throws synchronously', async () => {
    const slots = Semaphore.of(1);
    await expect(
      slots.run(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(await slots.run(() => Promise.resolve(1))).toBe(1);
  });
});

describe('a semaphore for large files', () => {
  /** Starts all given transfers together. Each runs until its gate opens. `started` lists them in their order. */
  function begun(slots: Semaphore, works: readonly [name: string, isLarge: boolean][]) {
    const started: string[] = [];
    const gates = new Map(works.map(([name]) => [name, new Gate()]));
    const ended = works.map(([name, isLarge]) =>
      slots.run(async () => {
        started.push(name);
        await gates.get(name)?.opened;
      }, isLarge),
    );
    return {
      started,
      open: (name: string) => gates.get(name)?.open(),
      all: Promise.all(ended),
      gates,
    };
  }
  const settle = async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  };
  const large = (...names: string[]) => names.map((name): [string, boolean] => [name, true]);
  const small = (...names: string[]) => names.map((name): [string, boolean] => [name, false]);

  it.each([
    {
      case: 'lets small files pass large ones that wait',
      works: [...large('A', 'B', 'C'), ...small('a', 'b', 'c')],
      started: ['A', 'a', 'b', 'c'],
    },
    {
      case: 'assigns all permits to small files if there are no others',
      works: small('a', 'b', 'c', 'd', 'e'),
      started: ['a', 'b', 'c', 'd'],
    },
  ])('the semaphore $case', async ({ works, started }) => {
    const begins = begun(Semaphore.of(4), works);
    await settle();
    expect(begins.started).toEqual(started);
    for (const [name] of works) begins.open(name);
    await begins.all;
    expect(begins.started).toHaveLength(works.length);
  });

  it('large files do not starve: the next permit goes to the waiter that has waited longest', async () => {
    const begins = begun(Semaphore.of(2), [...small('a', 'b'), ...large('A'), ...small('c', 'd')]);
    await settle();
    begins.open('a');
    await settle();
    expect(begins.started).toEqual(['a', 'b', 'A']);
    for (const name of begins.gates.keys()) begins.open(name);
    await begins.all;
  });
});

describe('a semaphore for an attempt', () => {
  it('small files of an urgent run are served before all other waiters', async () => {
    const slots = Semaphore.of(1);
    const started: string[] = [];
    const note = (name: string) => () => Promise.resolve(started.push(name));
    const gate = new Gate();
    const works = [
      slots.run(() => gate.opened),
      slots.run(note('bulk')),
      slots.run(note('large'), true),
    ];
    const urgent = slots.withOptions({ urgent: true });
    works.push(urgent.run(note('urgent')), urgent.run(note('urgent and large'), true));
    gate.open();
    await Promise.all(works);
    expect(started).toEqual(['urgent', 'bulk', 'large', 'urgent and large']);
  });

  it.each([
    ['small', false],
    ['large', true],
  ])(
    'runs take turns, so thousands of %s files of one run delay no other run',
    async (_, isLarge) => {
      const slots = Semaphore.of(1);
      const started: string[] = [];
      const files = Array.from({ length: 2_000 }, (_file, at) => at);
      const by = (run: string, of: readonly number[]) =>
        slots.withOptions({ run }).forEach(
          of,
          async () => void started.push(run),
          () => isLarge,
        );
      await Promise.all([by('large', files), by('small', [1, 2]), by('other', [1])]);
      expect(started).toHaveLength(2_003);
      expect(started.lastIndexOf('small')).toBeLessThan(8);
      expect(started.indexOf('other')).toBeLessThan(8);
    },
  );

  it('the waiters of a cancelled attempt are rejected, and its permit is kept until its work has ended', async () => {
    const slots = Semaphore.of(1);
    const caller = new AbortController();
    const why = new Error('cancelled');
    const attempt = slots.withOptions({ signal: caller.signal });
    const gate = new Gate();
    const working = attempt.run(() => gate.opened);
    const waiting = [attempt.run(() => gate.opened), attempt.run(() => gate.opened, true)];
    let isNext = false;
    const next = slots.run(async () => void (isNext = true));
    caller.abort(why);
    const ends = await Promise.allSettled(waiting);
    expect(ends).toEqual([0, 1].map(() => ({ status: 'rejected', reason: why })));
    expect(isNext).toBe(false);
    gate.open();
    await Promise.all([working, next]);
  });
});
