// Runs tests again, until an interrupt, whenever a YAML file or a table changes beside them or the files that they use.
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { waitForAbort } from '../../api/abort.ts';
import { explainError } from '../../app/renderline-error.ts';
import type { TestFlags } from '../../app/testing/check-and-run-tests.ts';
import { findTestFiles } from '../../app/testing/find-tests.ts';
import { checkTestFile } from '../../compile/test-file/check-tests.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { Session } from '../session.ts';
import { reportTests } from './report-tests.ts';

/** Delay after a change. Editors write a file in several steps, which must not start several test runs. */
const debounceMs = 200;

/** @returns the exit code, once the person has interrupted */
export async function watchTests(
  session: Session,
  paths: readonly string[],
  flags: TestFlags,
): Promise<number> {
  const { io, output } = session;
  const stop = io.interrupts.handleFirst();
  while (!stop.aborted) {
    const watcher = await watchTestFolders(session, paths);
    try {
      try {
        await reportTests(session, paths, flags, stop);
      } catch (error) {
        if (stop.aborted) break;
        // Watching continues, because the next change may fix the error.
        output.error(explainError(error));
      }
      output.note('Waiting for changes. Press Ctrl-C to stop.');
      await Promise.race([watcher.next, waitForAbort(stop)]);
    } finally {
      watcher.close();
    }
  }
  return exitCode.done;
}

/** Watches the folders of the test files, of their pipelines, and of the shared parts and copied files that they use. */
async function watchTestFolders(session: Session, paths: readonly string[]) {
  const options = await session.compileSettings();
  const files = await findTestFiles(paths, session.io.cwd);
  const tests = await mapBounded(files, (file) => checkTestFile(file, options));
  const inputFolders = tests.flatMap(({ inputs }) => inputs.map((path) => dirname(path)));
  const folders = new Set([
    ...tests.map(({ folder }) => folder),
    ...inputFolders.filter((folder) => existsSync(folder)),
  ]);
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const next = new Promise<void>((finish) => {
    for (const folder of folders) {
      watchers.push(
        watch(folder, (_event, name) => {
          // Other files, such as the snapshots that the tests write, are ignored.
          if (name === null || !/\.(?:ya?ml|csv|tsv|xls[xm]|jsonl|ndjson)$/i.test(name)) return;
          clearTimeout(timer);
          timer = setTimeout(finish, debounceMs);
        }),
      );
    }
  });
  return {
    next,
    close() {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}
