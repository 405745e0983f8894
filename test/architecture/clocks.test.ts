// The clock of this machine may be wrong, and may change while a process runs. Each file that reads it has a reason
// here; times of Temporal, the platform and stores are compared with their own clocks (`src/api/clock.ts`).
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sourceFiles } from '../../scripts/structure/imports.ts';

/** `Date.now` and `new Date()`, but not deadlines for Temporal's client, which converts deadlines to durations. */
const asks = /Date\.now\b|new Date\(\)/g;
const deadlines = /withDeadline\(\s*Date\.now\(\) \+/g;

/** In workflows, both calls return Temporal's time. The clock of the sandbox is injected. */
const rooms = /^(src|activities)\//;

const shown = 'shown to a person, or in a trace beside those of this machine';
const certificates = 'certificates are valid by the clock of this machine';
const skipped = 'tests in which the server skips time go on from the time of this machine';
const eachClock = 'the oldest by every clock: the place may go by that of this machine';
const durations =
  'a command that lasts as long as a person looks on, and that gives up too soon at worst';
const readOnly = 'commands that read records compare no times';
const presence = '`serverNow` corrects it by what the server says';

const reasons: Readonly<Record<string, string>> = {
  'activities/attempt-lease.ts':
    'the longest by both clocks: a machine that slept says so by its time of day alone',
  'src/api/clock.ts': 'the one place that compares it with the platform',
  'src/api/client.ts': shown,
  'src/app/app.ts': `the default of \`now\`, for programs that give none`,
  'src/cli/main.ts': `the clock that commands get: ${durations}; ${shown}; ids of runs; decisions; \`doctor\` checks it`,
  'src/app/testing/test-files.ts':
    'files of a test are as old as it says by the disk of this machine',
  'src/app/testing/workers/worker-process.ts': skipped,
  'src/ui/run-pages.ts': shown,
  'src/connectors/bucket/response-codes.ts': 'tells that it is wrong, where a store says so',
  'src/connectors/disk/temp-names.ts': 'not later than what the disk says',
  'src/sandbox/interface.ts': 'the platform on a laptop goes by the time of the laptop',
  'src/store/claims/claims.ts': eachClock,
  'src/store/discovery/stable-files.ts': eachClock,
  'src/store/runs/run-store.ts': readOnly,
  'src/store/search/resource-users.ts': readOnly,
  'src/telemetry/tracing.ts': shown,
  'src/temporal/connection/connect.ts': certificates,
  'src/temporal/deployments/queue-routing.ts': presence,
  'src/temporal/server/file-lock.ts':
    'locks of a cache on this machine; two holders at once do no harm',
  'src/app/testing/workers/test-bed.ts': skipped,
};

const asking = sourceFiles().filter((file) => {
  if (!rooms.test(file)) return false;
  return (readFileSync(file, 'utf8').replace(deadlines, '').match(asks) ?? []).length > 0;
});

it('no file reads the clock of this machine without a reason', () => {
  expect(asking.filter((file) => !Object.hasOwn(reasons, file))).toEqual([]);
});

it('every reason belongs to a file that reads the clock', () => {
  expect(Object.keys(reasons).filter((file) => !asking.includes(file))).toEqual([]);
});
