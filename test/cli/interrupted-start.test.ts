// Ctrl-C while a run is being started: the run may have started, although nothing has confirmed its start.
import { expect, test } from 'vitest';
import { launchOptions } from '../../src/cli/runs/start.ts';
import { Session } from '../../src/cli/session.ts';
import { createIo } from './_fake-io.ts';

function starting() {
  const { io, interrupts, stderr } = createIo({});
  const session = new Session(io, false);
  const options = launchOptions(session, true);
  options.onStarting?.('shop-1');
  return { interrupts, stderr, session, options };
}

test('the first Ctrl-C waits for the start, and the second one names the run', () => {
  const { interrupts, stderr, session } = starting();
  const { forced } = interrupts;
  interrupts.interrupt();
  expect(forced.aborted).toBe(false);
  expect(stderr.plain).toContain('Waiting until Temporal confirms the start');
  interrupts.interrupt();
  expect(forced.aborted).toBe(true);
  expect(session.resumeHint).toBe(
    'The run shop-1 may have started. Check it: renderline show shop-1',
  );
});

test('after the start, Ctrl-C waits for nothing, and the run continues', () => {
  const { interrupts, stderr, session, options } = starting();
  options.onStarted?.('shop-1');
  interrupts.interrupt();
  expect(stderr.plain).toBe('');
  expect(session.resumeHint).toContain('renderline cancel shop-1');
});
