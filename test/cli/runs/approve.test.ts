// `renderline approve` prints what is to be approved together with its question, not in its result.
import { Command } from '@commander-js/extra-typings';
import { expect, it } from 'vitest';
import { declareApprove } from '../../../src/cli/commands/runs/approve.ts';
import { Session } from '../../../src/cli/session.ts';
import { heldPicture, pausedRun, run, waitsForPictures } from '../../app/approvals/_paused-run.ts';
import { createIo } from '../_fake-io.ts';

async function approve(json: boolean, ...flags: string[]) {
  const { app, store } = pausedRun(waitsForPictures);
  await store.heldPictures.write(heldPicture('a'));
  const { io, stdout, stderr } = createIo();
  const session = new Session(io, json);
  session.temporal = app.temporal;
  const command = new Command();
  declareApprove(command, session);
  const failure = await command.parseAsync([run, ...flags], { from: 'user' }).then(
    () => null,
    ({ code }: { code: string }) => code,
  );
  return { failure, stdout: stdout.plain, stderr: stderr.plain };
}

it.each([true, false])(
  'approve prints the facts before the question, with --json: %s',
  async (json) => {
    const { failure, stdout, stderr } = await approve(json);
    expect([failure, stdout]).toEqual(['NOT_CONFIRMED', '']);
    expect(stderr).toContain('a.png');
  },
);

it('approve prints only the result on stdout with --yes', async () => {
  const { failure, stdout, stderr } = await approve(false, '--yes');
  expect(failure).toBeNull();
  expect(stderr).toContain('a.png');
  expect(stdout).not.toContain('a.png');
});
