import { expect, test } from 'vitest';
import { waitForAbort } from '../../src/api/abort.ts';
import { Interrupts } from '../../src/cli/interrupts.ts';

test('an interrupt that no command handles ends the command immediately', () => {
  const interrupts = new Interrupts();
  const forced = interrupts.forced;
  expect(forced.aborted).toBe(false);
  interrupts.interrupt();
  expect(forced.aborted).toBe(true);
});

test('a command that handles the first interrupt is ended by the second', () => {
  const interrupts = new Interrupts();
  const forced = interrupts.forced;
  const asked = interrupts.handleFirst();
  interrupts.interrupt();
  expect([asked.aborted, forced.aborted]).toEqual([true, false]);
  interrupts.interrupt();
  expect(forced.aborted).toBe(true);
});

test('waiting for an abort that has already happened ends immediately', async () => {
  await waitForAbort(AbortSignal.abort());
  const controller = new AbortController();
  const waiting = waitForAbort(controller.signal);
  controller.abort();
  await waiting;
});
