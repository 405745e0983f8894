// Processes that die: whenever one is killed, each file is uploaded once, rendered once and delivered once.

import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeSparseModel } from '../../bench/transfers/sparse-model.ts';
import { startDurableTemporal } from '../system/_durable-temporal.ts';
import { activityWorkers } from '../system/_histories.ts';
import { fileNamesIn, keysOf, killBeforeResponse, slowRenders } from '../system/_kill-helpers.ts';
import { names, smallModel } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  joined,
  type PipelineFolder,
  reportOf,
  startRun,
} from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import { openLink } from '../system/_slow-link.ts';
import { type Env, startWorkerProcess, useProcesses, waitWhileRunning } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { openFileProxy } from './_file-proxy.ts';

const temporal = useTemporal();
useProcesses();

/** Number of files that runs have recorded as transferred. */
async function transferredFiles({ out }: PipelineFolder): Promise<number> {
  const paths = await readdir(out, { recursive: true });
  const books = paths.filter((path) => /\/moved\/.*\.json$/.test(path));
  const counts = books.map(async (path) => {
    const { files } = JSON.parse(await readFile(join(out, path), 'utf8')) as { files: object };
    return Object.keys(files).length;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

describe.concurrent('a worker that is killed', () => {
  test('a worker that is killed during uploads is replaced by another one, which repeats them for the same models', async () => {
    const sandbox = await startSandbox(fastSandbox);
    const link = await openLink(new URL(sandbox.origin));
    const env = joined(temporal.env, sandbox.env, {
      RENDERLINE_BASE_URL: `http://127.0.0.1:${link.port}/api/v1`,
    });
    const place = await createPipelineFolder('uploads');
    const keys = names('upload', 8);
    await mkdir(place.folder, { recursive: true });
    for (const key of keys) {
      await writeFile(join(place.folder, `${key}.glb`), smallModel(key, { paddingBytes: 500_000 }));
    }
    const before = await sandbox.stats();
    const worker = await startWorkerProcess(env);
    link.holdAfter(1_500_000);
    const running = startRun(place, env);
    await link.holding();
    await worker.stop('SIGKILL');
    link.flow();
    const second = await startWorkerProcess(env);
    const report = reportOf(await running.finished);
    await expectPictures(report, keys);
    expectOnce(
      before,
      await sandbox.stats(),
      keys.map((key) => `${key}.glb`),
    );
    await second.stop();
    await link.close();
  });

  test.each(['createJob', 'createProjects'] as const)(
    "if a worker is killed before the response to %s, the call's work is not repeated",
    (operation) => killBeforeResponse(temporal, operation),
  );

  test('a worker that is killed repeatedly while creating calls fail with 500 still delivers each asset once', async () => {
    const sandbox = await startSandbox(fastSandbox);
    const creating = ['createJob', 'confirmJobUploads', 'createProjects', 'createRenders'];
    await sandbox.set(
      'faults',
      creating.flatMap((match) => [
        { match, nth: 1, do: { commitThenStatus: 500 } },
        { match, nth: 2, do: { status: 500 } },
        { match, nth: 3, do: { commitThenStatus: 500, kept: true } },
      ]),
    );
    const env = joined(temporal.env, sandbox.env);
    const place = await createPipelineFolder('errors', { batchSize: 10 });
    const files = await fileNamesIn(place, 'errors', 30);
    let worker = await startWorkerProcess(env);
    const running = startRun(place, env);
    for (const kind of ['models', 'projects'] as const) {
      await waitWhileRunning(running, `the first ${kind} are made`, async () => {
        return (await sandbox.stats()).created[kind] > 0;
      });
      await worker.stop('SIGKILL');
      worker = await startWorkerProcess(env);
    }
    const report = reportOf(await running.finished);
    await expectPictures(report, keysOf(files));
    const { created } = await sandbox.stats();
    // Possible duplicates are reported.
    const owned = new Set(report.warnings.map(({ key }) => key)).size;
    expect(created.projects).toBe(30);
    expect(created.models - 30).toBeLessThanOrEqual(owned);
    expect(created.renderJobs - 30).toBeLessThanOrEqual(owned);
  });

  test('a worker that is killed while it waits for renders is replaced by another one', async () => {
    const sandbox = await startSandbox(fastSandbox);
    await sandbox.set('faults', slowRenders);
    const env = joined(temporal.env, sandbox.env);
    const place = await createPipelineFolder('renders');
    const files = await fileNamesIn(place, 'render', 30);
    const before = await sandbox.stats();
    const worker = await startWorkerProcess(env);
    const running = startRun(place, env);
    await waitWhileRunning(running, 'all renders are submitted', async () => {
      const { created } = await sandbox.stats();
      return created.renderJobs === files.length;
    });
    await worker.stop('SIGKILL');
    await startWorkerProcess(env);
    await expectPictures(reportOf(await running.finished), keysOf(files));
    expectOnce(before, await sandbox.stats(), files);
  });
});

describe.concurrent('a worker that gets SIGTERM', () => {
  test('a worker that gets SIGTERM under load exits with 0, and another worker continues', async () => {
    const sandbox = await startSandbox(fastSandbox);
    const env = joined(temporal.env, sandbox.env);
    const place = await createPipelineFolder('terminated', { batchSize: 5 });
    const files = await fileNamesIn(place, 'terminated', 40);
    const before = await sandbox.stats();
    const worker = await startWorkerProcess(env);
    const running = startRun(place, env);
    await waitWhileRunning(
      running,
      'uploads are under way',
      async () => (await sandbox.stats()).created.models > 0,
    );
    const stopping = worker.stop('SIGTERM');
    const second = await startWorkerProcess(env);
    expect(await stopping).toMatchObject({ code: 0 });
    await expectPictures(reportOf(await running.finished), keysOf(files));
    expectOnce(before, await sandbox.stats(), files);
    expect(await second.stop('SIGTERM')).toMatchObject({ code: 0 });
  });
});

describe.concurrent('two workers on one queue', () => {
  test('two workers on one queue share the work of a run', async () => {
    const sandbox = await startSandbox(fastSandbox);
    const env = joined(temporal.env, sandbox.env);
    const place = await createPipelineFolder('shared', { batchSize: 4 });
    const files = await fileNamesIn(place, 'shared', 40);
    const before = await sandbox.stats();
    await Promise.all([startWorkerProcess(env), startWorkerProcess(env)]);
    const report = reportOf(await startRun(place, env).finished);
    await expectPictures(report, keysOf(files));
    expectOnce(before, await sandbox.stats(), files);
    expect((await activityWorkers(env, report.run)).size).toBe(2);
  });
});

describe.concurrent('a Temporal server that is killed', () => {
  async function setUp(prefix: string): Promise<{ sandbox: SandboxInUse; place: PipelineFolder }> {
    const sandbox = await startSandbox(fastSandbox);
    await sandbox.set('faults', slowRenders);
    const place = await createPipelineFolder(prefix);
    return { sandbox, place };
  }

  test('a Temporal server that is killed during uploads loses nothing and repeats nothing', async () => {
    const { sandbox, place } = await setUp('server-uploads');
    const server = await startDurableTemporal();
    try {
      const env: Env = joined(server.env, sandbox.env);
      const files = await fileNamesIn(place, 'server-upload', 60);
      const before = await sandbox.stats();
      await startWorkerProcess(env);
      const running = startRun(place, env);
      await waitWhileRunning(
        running,
        'uploads are under way',
        async () => (await sandbox.stats()).created.models > 0,
      );
      await server.kill();
      await server.restart();
      await expectPictures(reportOf(await running.finished), keysOf(files));
      expectOnce(before, await sandbox.stats(), files);
    } finally {
      await server.close();
    }
  });
});

// A suite of its own: it transfers as many bytes as all others together.
describe('a worker that is killed', () => {
  test('a worker that is killed during large uploads is replaced by one that does not repeat completed uploads', async () => {
    const sandbox = await startSandbox(fastSandbox);
    // Uploaded files are still being processed when the next worker polls them.
    await sandbox.set('faults', [{ model: '**', do: { durationMs: 45_000 } }]);
    const proxy = await openFileProxy(sandbox.origin);
    const env = joined(temporal.env, sandbox.env, { RENDERLINE_BASE_URL: proxy.url });
    const place = await createPipelineFolder('large');
    const keys = names('large', 6);
    await mkdir(place.folder, { recursive: true });
    // Some are uploaded together, some alone.
    for (const [at, key] of keys.entries()) {
      await writeSparseModel(join(place.folder, `${key}.glb`), (at < 3 ? 33 : 65) * 1024 ** 2);
    }
    const before = await sandbox.stats();
    const worker = await startWorkerProcess(env);
    // Those that are uploaded together are first; two of the others are held.
    proxy.holdUploadsAfter(4);
    const running = startRun(place, env);
    await waitWhileRunning(running, 'four are up', async () => {
      return proxy.heldUploads === 2 && (await transferredFiles(place)) === 4;
    });
    await worker.stop('SIGKILL');
    proxy.releaseUploads();
    const second = await startWorkerProcess(env);
    await expectPictures(reportOf(await running.finished), keys);
    const files = keys.map((key) => `${key}.glb`);
    expectOnce(before, await sandbox.stats(), files);
    expect([...proxy.uploadCounts.values()].sort((a, b) => a - b)).toEqual([1, 1, 1, 1, 2, 2]);
    await second.stop();
    await proxy.close();
  }, 300_000);
});
