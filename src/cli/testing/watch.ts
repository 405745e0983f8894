// Plays tests again whenever a file beside them changes, until the person ends it.
import { type FSWatcher, watch } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exitCode } from '../../failures/exit-code.ts';
import { explainError } from '../exit.ts';
import { aborted } from '../interrupts.ts';
import type { Session } from '../session.ts';
import { findTestFiles } from './find-tests.ts';
import { type TestFlags, testOnce } from './test-once.ts';

/** Editors write a file in several steps. */
const quietMs = 200;

/** Gives the exit code once it is interrupted. */
export async function testAgainAndAgain(
  session: Session,
  paths: readonly string[],
  flags: TestFlags,
): Promise<number> {
  const { io, output } = session;
  const stop = io.interrupts.take();
  while (!stop.aborted) {
    const changed = await changesBeside(paths, io.cwd);
    try {
      try {
        await testOnce(session, paths, flags, stop);
      } catch (error) {
        if (stop.aborted) break;
        // The next change may mend it.
        output.error(explainError(error));
      }
      output.note('Waits for a change. Ctrl-C ends it.');
      await Promise.race([changed.next, aborted(stop)]);
    } finally {
      changed.close();
    }
  }
  return exitCode.done;
}

/** Watches the folders of the test files, where the pipelines are, too. */
async function changesBeside(paths: readonly string[], cwd: string) {
  const files = await findTestFiles(paths, cwd);
  const folders = new Set(files.map((file) => dirname(resolve(cwd, file))));
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const next = new Promise<void>((done) => {
    for (const folder of folders) {
      watchers.push(
        watch(folder, (_event, name) => {
          // Our own snapshots.
          if (name === null || !/\.(?:ya?ml|csv|jsonl)$/.test(name)) return;
          clearTimeout(timer);
          timer = setTimeout(done, quietMs);
        }),
      );
    }
  });
  return {
    next,
    close() {
      clearTimeout(timer);
      for (const one of watchers) one.close();
    },
  };
}
