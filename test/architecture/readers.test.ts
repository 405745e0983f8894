// Every file that parses or reads a whole input is in the table of docs/limits.md with its bound, or reads only trusted
// input.
import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readers } from '../../scripts/docs/readers.ts';
import { sourceFiles } from '../../scripts/structure/imports.ts';

const reading =
  /JSON\.parse\(|[pP]arseJson\(|parseDocument\(|csv-parse|new Lexer\(|body\.json\(\)|\.toArray\(|\breadFile(?:Sync)?\(|stream\/consumers|readStart\(|readBoundedFile\(|createReadStream|(?:gun|un)zip|inflate|boundedBody\(|ICAL\.parse\(/;
const copying = /JSON\.parse\(JSON\.stringify\(/;

/** Files that read only what this program or its parts have written, or what the user of the command names. */
const own: Readonly<Record<string, string>> = {
  'src/cli/api/input.ts': 'the body of the person who calls',
  'src/app/file-paths.ts': 'files and pipes that the person names; the callers have the bounds',
  'src/ui/delivered-files.ts': 'destinations that the same process has written as text',
  'src/app/replay/replay-open-runs.ts':
    'the bundle that the person names, and histories, 200 MiB each',
  'src/app/open-files.ts': 'a file of the system',
  'src/app/platform/convert-file.ts': 'a pipeline that was compiled before',
  'src/app/testing/notice-recorder.ts': 'notices that the same process sends',
  'src/app/testing/platform-state.ts': 'answers of the sandbox that it has started',
  'src/app/testing/execute-run.ts': 'what the same process has written',
  'src/app/testing/run-test.ts': 'a pipeline that was compiled before',
  'src/app/testing/snapshots.ts': 'files beside the tests of the person',
  'src/app/read-package-version.ts': 'package.json of this program',
  'src/engine/rows/open-table.ts': 'keys of rows that the same process has joined',
  'src/pictures/decoding/derive-script.ts': 'a TIFF that the same process has written',
  'src/settings/secrets/decision-link.ts': 'what was signed with the key of this machine',
  'src/settings/logger.ts': 'lines that the same process logs',
  'src/temporal/audit/record-action.ts': 'a request that is being sent',
  'src/temporal/server/file-lock.ts': 'locks of this user',
  'src/temporal/connection/read-temporal-settings.ts':
    'the configuration of Temporal that the environment names',
  'src/temporal/tuning/machine.ts': 'files of the system',
  'src/app/worker/worker.ts': 'the workflows of this program',
  'src/temporal/workflow-code.ts': 'the workflows of this program',
};

const found = sourceFiles()
  .filter((file) => /^(?:src|activities|workflows)\//.test(file))
  .filter((file) => {
    const lines = readFileSync(file, 'utf8').split('\n');
    const isCode = (line: string) => !/^\s*(?:\/\/|\*|\/\*|import )/.test(line);
    return lines.some(
      (line) =>
        reading.test(line) && !copying.test(line) && (isCode(line) || /consumers|csv-/.test(line)),
    );
  });

it('every reader is in the table once, or reads only trusted input', () => {
  const known = [...readers.flatMap(({ files }) => files), ...Object.keys(own)];
  expect(found.toSorted()).toEqual(known.toSorted());
});

it.each(readers.map((one) => [one.reads, one] as const))(
  'the test file of the bound of %s exists',
  (_, { tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const test of tests) expect([test, existsSync(test)]).toEqual([test, true]);
  },
);
