// What `renderline ui` offers, and what it refuses before it starts.
import { expect, test } from 'vitest';
import { folderWith } from './_folder.ts';
import { run, startCli } from './_run-cli.ts';

test('ui with a path that does not exist prints an error that contains the path', async () => {
  const ran = await run(['ui', 'nothere', '--port', '0'], { cwd: folderWith() });
  expect(ran.code).toBe(5);
  expect(ran.stderr).toContain('nothere');
});

test('ui without arguments prints the folders', async () => {
  const cwd = folderWith({ 'pipelines/a.yaml': '' });
  const ui = startCli(['ui', '--port', '0'], { cwd });
  await ui.stdout.shows(/Pipelines on the pages: \., pipelines\nCtrl-C/);
  ui.interrupts.interrupt();
  expect((await ui.done).code).toBe(0);
});
