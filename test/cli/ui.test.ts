// What `renderline ui` offers, and what it refuses before it listens.
import { expect, test } from 'vitest';
import { folderWith } from './_folder.ts';
import { run, startCli } from './_run-cli.ts';

test('a path that does not exist is an error that names it', async () => {
  const ran = await run(['ui', 'nothere', '--port', '0'], { cwd: folderWith() });
  expect(ran.code).toBe(5);
  expect(ran.stderr).toContain('nothere');
});

test('without arguments it names the folders that it offers', async () => {
  const cwd = folderWith({ 'pipelines/a.yaml': '' });
  const ui = startCli(['ui', '--port', '0'], { cwd });
  await ui.stdout.shows(/It offers the pipelines in \., pipelines\./);
  ui.interrupts.interrupt();
  expect((await ui.done).code).toBe(0);
});
