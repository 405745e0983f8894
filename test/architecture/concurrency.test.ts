// Work on a list is bounded by `mapBounded` or by a semaphore, because a list may have 100,000 items. Each file that
// starts work on all items of a list at once has the bound of the list here.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { sourceFiles } from '../../scripts/structure/imports.ts';

/** Waits for all promises of a list. A literal list has a known length, unless it contains a spread. */
const waits = /Promise\.(?:all|allSettled)\((?!\[(?:[^\].]|\.(?!\.\.))*\])/;
const rooms = /^(src|activities|workflows)\//;

const ofFile = 'the pipeline file, which is bounded';
const ofBatch = 'assets of one batch, whose requests the client bounds';
const semaphore = 'a semaphore bounds the work';
const ofTests = 'the runs of one test';

const bounds: Readonly<Record<string, string>> = {
  'activities/run/hosts.ts': 'folders of a plan',
  'activities/shard/run-chain.ts': 'batches of one shard',
  'src/app/allowed-folders.ts': 'folders of a server, or of one run',
  'src/app/choices/read-choices.ts': ofFile,
  'src/app/events/event-dispatcher.ts':
    'open event triggers; a trigger that cannot be reached must not keep an event from the others',
  'src/app/general-pause/resume-all.ts': 'promises that already exist',
  'src/app/runs/fresh-progress.ts': '`maxShardsDescribed`',
  'src/app/runs/run-snapshot.ts': '`maxShardsQueried`',
  'src/app/testing/check-and-run-tests.ts': semaphore,
  'src/app/testing/execute-event-runs.ts': ofTests,
  'src/app/testing/execute-run.ts': ofTests,
  'src/app/testing/find-tests.ts': 'folders with tests; Node.js reads four at a time',
  'src/app/testing/workers/test-worker.ts': '`awakeAttempts`',
  'src/app/testing/workers/time-skipping-worker.ts': 'the workers of a test',
  'src/app/worker/worker.ts': 'the workers of a process',
  'src/compile/shared/read-shared.ts': ofFile,
  'src/connectors/local.ts': 'the files of a page of a listing',
  'src/connectors/sftp/sftp-files.ts': '`maxConcurrentPieces`',
  'src/engine/polling/read-each.ts': 'the parts of a read, each bounded by `maxConcurrentReads`',
  'src/engine/polling/status-poller.ts': 'polls that already run',
  'src/engine/transfer-semaphore.ts': semaphore,
  'src/features/cost-config.ts': ofFile,
  'src/features/delivery/deliver.ts': semaphore,
  'src/features/delivery/models/model-files.ts': ofBatch,
  'src/features/delivery/plan-delivery.ts': ofBatch,
  'src/features/delivery/saved-files.ts': semaphore,
  'src/features/renders/status/render-status-poller.ts':
    'batches that wait, whose requests the client bounds',
  'src/features/templates/template-match.ts': ofBatch,
  'src/features/variants/grid/choose-colorways.ts': 'cells of one model, from one request',
  'src/features/variants/material-name-resolver.ts': 'materials of one asset, from one request',
  'src/glb/side-files.ts': '`maxLibraries`',
  'src/report/report-cards.ts': '`maxConcurrentPictures`',
  'src/store/objects/map-bounded.ts': '`maxConcurrent`',
  'src/store/records/path-owners.ts': '`maxConcurrentReads`',
  'src/store/runs/finalize-part.ts': 'the records that an asset replaces',
  'src/temporal/audit/read-audit.ts': '`maxConcurrentReads`',
  'src/temporal/codec/tolerant-reader.ts': 'payloads of one message',
  'src/temporal/server/free-ports.ts': 'the ports that a caller needs',
  'src/temporal/status/failing-workflows.ts': '`maxInspectedPerType` and `maxConcurrentRequests`',
  'workflows/run/run-on-host.ts': 'hosts of one chunk',
  'workflows/run/run-shards.ts': 'signals that are being sent',
};

const waiting = sourceFiles().filter(
  (file) => rooms.test(file) && waits.test(readFileSync(file, 'utf8')),
);

it('no file starts work on all items of a list at once without a bound', () => {
  expect(waiting.filter((file) => !Object.hasOwn(bounds, file))).toEqual([]);
});

it('every bound belongs to a file that starts work on all items of a list', () => {
  expect(Object.keys(bounds).filter((file) => !waiting.includes(file))).toEqual([]);
});
