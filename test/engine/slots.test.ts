// How many transfers are under way at once.
import { describe, expect, it } from 'vitest';
import { Slots } from '../../src/machinery/transfer-slots.ts';
import { Gate } from './_gate.ts';

describe('Slots', () => {
  it('never lets more than its number work, and serves who waits in order', async () => {
    const slots = new Slots(2);
    const gates = Array.from({ length: 5 }, () => new Gate());
    const started: number[] = [];
    const all = slots.each(gates, async (gate) => {
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

  it('shares its slots between several groups', async () => {
    const slots = new Slots(1);
    let atWork = 0;
    let most = 0;
    const work = async () => {
      atWork += 1;
      most = Math.max(most, atWork);
      await Promise.resolve();
      atWork -= 1;
    };
    await Promise.all([slots.each([1, 2, 3], work), slots.each([4, 5], work), slots.run(work)]);
    expect(most).toBe(1);
  });

  it('lets all end before it tells of the first failure, and gives the slots back', async () => {
    const slots = new Slots(1);
    const ended: number[] = [];
    const work = (number: number) => {
      ended.push(number);
      return number === 1 ? Promise.reject(new Error('one broke')) : Promise.resolve(number);
    };
    await expect(slots.each([1, 2, 3], work)).rejects.toThrow('one broke');
    expect(ended).toEqual([1, 2, 3]);
    expect(await slots.run(() => Promise.resolve('free'))).toBe('free');
  });

  it('work that throws at once gives its slot back too', async () => {
    const slots = new Slots(1);
    await expect(
      slots.run(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(await slots.run(() => Promise.resolve(1))).toBe(1);
  });
});
