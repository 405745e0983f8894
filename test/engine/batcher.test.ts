// One call for many callers.
import { describe, expect, it } from 'vitest';
import { Batcher } from '../../src/engine/polling/batcher.ts';
import { Gate } from './_gate.ts';

describe('Gather', () => {
  it('answers all who ask within the window with one look at all their items', async () => {
    const looks: string[][] = [];
    const gather = new Batcher<string, number>(5, (items) => {
      looks.push(items);
      return Promise.resolve(items.length);
    });
    const answers = await Promise.all([
      gather.request(['a']),
      gather.request(['b', 'c']),
      gather.request([]),
    ]);
    expect(answers).toEqual([3, 3, 3]);
    expect(looks).toEqual([['a', 'b', 'c']]);
  });

  it('makes a new look for who asks after an answer', async () => {
    let looks = 0;
    const gather = new Batcher<string, number>(1, () => Promise.resolve((looks += 1)));
    expect(await gather.request(['a'])).toBe(1);
    expect(await gather.request(['a'])).toBe(2);
  });

  it('looks once at a time: who asks during a look is answered by the next one', async () => {
    const gate = new Gate();
    const looks: string[][] = [];
    const gather = new Batcher<string, string>(1, async (items) => {
      looks.push(items);
      if (looks.length === 1) await gate.opened;
      return items.join('+');
    });
    const first = gather.request(['a']);
    await gate.until(() => looks.length === 1);
    const during = [gather.request(['b']), gather.request(['c'])];
    await gate.turns(20);
    expect(looks).toEqual([['a']]);
    gate.open();
    expect(await first).toBe('a');
    expect(await Promise.all(during)).toEqual(['b+c', 'b+c']);
    expect(looks).toEqual([['a'], ['b', 'c']]);
  });

  it('gives a failed look to all who asked, and looks again for the next', async () => {
    let looks = 0;
    const gather = new Batcher<string, string>(1, () => {
      looks += 1;
      return looks === 1 ? Promise.reject(new Error('no answer')) : Promise.resolve('fine');
    });
    const both = await Promise.allSettled([gather.request(['a']), gather.request(['b'])]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await gather.request(['c'])).toBe('fine');
  });

  it('a look that throws at once is a failed look', async () => {
    const gather = new Batcher<string, string>(1, () => {
      throw new TypeError('broken');
    });
    await expect(gather.request(['a'])).rejects.toThrow('broken');
  });
});
