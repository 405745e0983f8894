// Confirmation before an irreversible action.
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { Interrupts } from '../../src/cli/interrupts.ts';
import { confirm } from '../../src/cli/prompt.ts';
import { Session } from '../../src/cli/session.ts';
import { Screen } from './_fake-io.ts';

function sessionAt(said: string, isTTY: boolean): { session: Session; stderr: Screen } {
  const stderr = new Screen();
  const stdin = Object.assign(Readable.from([Buffer.from(said)]), { isTTY });
  const rest = { env: {}, cwd: '/', interrupts: new Interrupts(), now: () => 0 };
  return {
    session: new Session({ stdout: new Screen(), stderr, stdin, ...rest }, false),
    stderr,
  };
}

it.each(['y\n', 'Yes\n', ' YES \n'])('the answer %j confirms', async (said) => {
  const { session, stderr } = sessionAt(said, true);
  await confirm(session, 'Start 2 runs?', false);
  expect(stderr.text).toContain('Start 2 runs? [y/N] ');
});

it.each(['n\n', '\n', 'yesterday\n', ''])('the answer %j does not confirm', async (said) => {
  const { session } = sessionAt(said, true);
  const asked = confirm(session, 'Start 2 runs?', false);
  await expect(asked).rejects.toMatchObject({
    exit: 2,
    code: 'NOT_CONFIRMED',
    message: 'Nothing was done.',
    isExpected: true,
  });
});

it('without a terminal, no question is asked, and --yes decides', async () => {
  const { session, stderr } = sessionAt('y\n', false);
  const refused = {
    exit: 2,
    code: 'NOT_CONFIRMED',
    message:
      'Not confirmed: standard input is not a terminal, so nobody can answer "Start 2 runs?"',
    fix: 'Confirm the command, or add --yes.',
  };
  await expect(confirm(session, 'Start 2 runs?', false)).rejects.toMatchObject(refused);
  await confirm(session, 'Start 2 runs?', true);
  expect(stderr.text).toBe('');
});
