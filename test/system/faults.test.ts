// Faults of the network and of the platform: nothing is missing or created twice, and each failure is reported with
// its reason.
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess, startWorkerInProcess } from './_in-process.ts';
import { inLane, inLaneWith } from './_lane.ts';
import { names, smallModel, writeModels } from './_models.ts';
import {
  createPipelineFolder,
  errorOf,
  expectOnce,
  expectPictures,
  joined,
  type PipelineFolder,
  type PipelineOptions,
  reportOf,
  runArguments,
  runToEnd,
  startRun,
} from './_runs.ts';
import { startSandbox } from './_sandbox.ts';
import { type Env, run, useProcesses, waitWhileRunning } from './_stack.ts';
import { useTemporal } from './_temporal.ts';
import { startWorkerWith } from './_workers.ts';

const temporal = useTemporal();
useProcesses();

async function placeWith(
  prefix: string,
  count: number,
  options?: PipelineOptions,
): Promise<{ place: PipelineFolder; keys: string[]; files: string[] }> {
  const place = await createPipelineFolder(prefix, options);
  const keys = names(prefix, count);
  await writeModels(place.folder, keys);
  return { place, keys, files: keys.map((key) => `${key}.glb`) };
}

inLane('requests to the platform', temporal, (lane) => {
  const creating = ['createJob', 'confirmJobUploads', 'createProjects', 'createRenders'];
  const faults: [string, unknown[]][] = [
    [
      'connections that break after the work is done',
      creating.map((match) => ({ match, nth: 1, do: { reset: 'after' } })),
    ],
    [
      'connections that break before anything is done',
      creating.map((match) => ({ match, nth: 1, do: { reset: 'before' } })),
    ],
    [
      'the same key still in flight',
      creating.map((match) => ({
        match,
        nth: 1,
        do: { status: 409, code: 'IDEMPOTENCY_CONFLICT' },
      })),
    ],
    ['a burst of 503 on everything', [{ match: '**', times: 5, do: { status: 503 } }]],
    [
      'a job that is refused as a whole',
      [{ match: 'createJob', nth: 1, do: { status: 400, code: 'VALIDATION_ERROR' } }],
    ],
    [
      'a page of a proxy in place of an answer',
      ['checkModelStatus', 'listRenders', 'getRenderBatch'].map((match) => ({
        match,
        nth: 1,
        do: { body: '<html>Bad gateway</html>', contentType: 'text/html' },
      })),
    ],
  ];

  test.each(faults)(
    'all assets are completed, and nothing is created twice, with this fault: %s',
    async (name, rules) => {
      const { place, keys, files } = await placeWith(name.replaceAll(' ', '-'), 8);
      const before = await lane.sandbox.stats();
      const report = await lane.withFaults(rules, () => runToEnd(place, lane.env));
      const after = await lane.sandbox.stats();
      await expectPictures(report, keys);
      expectOnce(before, after, files);
      expect(report.paid).toMatchObject({ renders: 8, models: 8, failedRenders: 0 });
      expect(after.totalRequests - before.totalRequests).toBeLessThan(100);
    },
  );
});

inLane('calls that are repeated', temporal, (lane) => {
  test('calls that are repeated after an error for finished work report the possible duplicates', async () => {
    const { place, keys } = await placeWith('denied', 3);
    const before = await lane.sandbox.stats();
    const rules = [{ match: 'createRenders', nth: 1, do: { commitThenStatus: 500 } }];
    const report = await lane.withFaults(rules, () => runToEnd(place, lane.env));
    const { created } = await lane.sandbox.stats();
    await expectPictures(report, keys);
    expect(created.models - before.created.models).toBe(3);
    expect(created.renderJobs - before.created.renderJobs).toBe(6);
    expect(report.warnings.map(({ key }) => key).sort()).toEqual(keys);
    expect(report.warnings[0]?.message).toMatch(/createRenders .*twice/);
    // Three renders are certain; the three of the failed call are possible duplicates.
    expect(report.paid).toMatchObject({
      renders: 3,
      models: 3,
      possibleDuplicates: { renders: 3, models: 0 },
    });
  });

  test('calls that are repeated for expired upload links remove the models of the first call', async () => {
    const sandbox = await startSandbox([
      '--speed',
      '20',
      '--picture-scale',
      '0',
      '--link-seconds',
      '1',
    ]);
    const env = joined(temporal.env, sandbox.env);
    const worker = await startWorkerInProcess(env);
    await sandbox.set('faults', [{ match: 'createJob', nth: 1, do: { delayMs: 2_500 } }]);
    const { place, keys } = await placeWith('expired', 3);
    await expectPictures(await runToEnd(place, env), keys);
    const { total } = (await sandbox.api('GET', '/models')) as { total: number };
    expect(total).toBe(keys.length);
    await worker.stop();
    await sandbox.stop();
  });
});

inLane('renders that fail', temporal, (lane) => {
  test('failing renders are retried up to maxRetries, and then reported with the reason', async () => {
    const { place, keys } = await placeWith('frail', 4, { maxRetries: 1 });
    const rules = [
      { render: '*frail-02*', do: { failure: 'out of memory' } },
      { render: '*frail-03*', times: 1, do: { failure: 'a passing trouble' } },
    ];
    const report = await lane.withFaults(rules, () => runToEnd(place, lane.env, 3));
    expect(report.assets).toMatchObject({ total: 4, complete: 3, failed: 1, skipped: 0 });
    expect(report.failures).toMatchObject([
      { key: 'frail-02', code: 'RENDER_FAILED', message: 'out of memory', attempts: 2 },
    ]);
    expect(report.requests.byOperation['retryRenderJob']).toBe(2);
    expect(report.paid).toMatchObject({ renders: 6, models: 4, failedRenders: 3 });
    await expectPictures(
      report,
      keys.filter((key) => key !== 'frail-02'),
    );
    const second = await runToEnd(place, lane.env);
    await expectPictures(second, ['frail-02']);
    // The first run pays for the model and the first two attempts.
    expect(second.paid).toMatchObject({ renders: 1, models: 0, failedRenders: 0 });
  });

  test('renders that never end fail after the render timeout', async () => {
    // The timeout is long enough for the other two renders on a busy machine.
    const { place } = await placeWith('endless', 3, { renderTimeout: '20s' });
    const rules = [{ render: '*endless-01*', do: { durationMs: 3_600_000 } }];
    const report = await lane.withFaults(rules, () => runToEnd(place, lane.env, 3));
    expect(report.failures).toMatchObject([{ key: 'endless-01', code: 'RENDER_TIMEOUT' }]);
    expect(report.assets.complete).toBe(2);
  });
});

/** A worker with a consistency window of four seconds; other workers have two minutes. */
const soonCertain = (env: Env) => startWorkerWith(env, { consistencyWindowMs: 4_000 });

inLaneWith(soonCertain, 'a project that is deleted', temporal, (lane) => {
  test('a deleted project fails alone, and does not fail the whole call', async () => {
    const { place, keys } = await placeWith('poison', 6);
    const hold = [{ match: 'createRenders', nth: 1, do: { delayMs: 2_500, before: true } }];
    const report = await lane.withFaults(hold, async () => {
      const before = await lane.requestsOf('createRenders');
      const running = startRun(place, lane.env);
      await waitWhileRunning(
        running,
        'renders are asked for',
        async () => (await lane.requestsOf('createRenders')) > before,
      );
      await lane.sandbox.api('DELETE', `/projects/${await lane.projectNamed('poison-04')}`);
      return reportOf(await running.finished, 3);
    });
    expect(report.failures).toMatchObject([{ key: 'poison-04', code: 'PROJECT_NOT_FOUND' }]);
    await expectPictures(
      report,
      keys.filter((key) => key !== 'poison-04'),
    );
    await expectPictures(await runToEnd(place, lane.env), ['poison-04']);
  });
});

inLaneWith(soonCertain, 'a model that is deleted', temporal, (lane) => {
  test('a model that is deleted before its project is created fails alone, and the next run creates it again', async () => {
    const { place, keys } = await placeWith('orphan', 6);
    const hold = [{ match: 'createProjects', nth: 1, do: { delayMs: 2_500, before: true } }];
    const report = await lane.withFaults(hold, async () => {
      const before = await lane.requestsOf('createProjects');
      const running = startRun(place, lane.env);
      await waitWhileRunning(running, 'projects are asked for', async () => {
        return (await lane.requestsOf('createProjects')) > before;
      });
      await lane.sandbox.api('DELETE', `/models/${await lane.modelNamed('orphan-02')}`);
      return reportOf(await running.finished, 3);
    });
    expect(report.failures).toMatchObject([{ key: 'orphan-02', code: 'MODEL_NOT_FOUND' }]);
    await expectPictures(
      report,
      keys.filter((key) => key !== 'orphan-02'),
    );
    await expectPictures(await runToEnd(place, lane.env), ['orphan-02']);
  });
});

inLaneWith(soonCertain, 'a model that is deleted while it is processed', temporal, (lane) => {
  test('a model that is deleted while it is being processed fails alone, and the next run creates it again', async () => {
    const { place, keys } = await placeWith('deleted', 4);
    const slow = [{ model: '*deleted-*', do: { durationMs: 4_000 } }];
    const report = await lane.withFaults(slow, async () => {
      const before = await lane.requestsOf('checkModelStatus');
      const running = startRun(place, lane.env);
      await waitWhileRunning(running, 'models are waited for', async () => {
        return (await lane.requestsOf('checkModelStatus')) > before;
      });
      await lane.sandbox.api('DELETE', `/models/${await lane.modelNamed('deleted-03')}`);
      return reportOf(await running.finished, 3);
    });
    expect(report.failures).toMatchObject([{ key: 'deleted-03', code: 'MODEL_NOT_FOUND' }]);
    await expectPictures(
      report,
      keys.filter((key) => key !== 'deleted-03'),
    );
    await expectPictures(await runToEnd(place, lane.env), ['deleted-03']);
  });
});

inLane('files', temporal, (lane) => {
  test('files that are still being written are left for the next run', async () => {
    const { place, keys } = await placeWith('whole', 2);
    const growing = join(place.folder, 'growing.glb');
    const content = smallModel('growing', { paddingBytes: 200_000 });
    await writeFile(growing, content.subarray(0, 1_000));
    let written = 1_000;
    const writer = setInterval(() => {
      appendFile(growing, content.subarray(written, written + 50)).catch(() => undefined);
      written += 50;
    }, 30);
    const report = await runToEnd(place, lane.env).finally(() => clearInterval(writer));
    expect(report.assets).toMatchObject({ total: 3, complete: 2, failed: 0, skipped: 1 });
    await expectPictures(report, keys);

    await writeFile(growing, content);
    await expectPictures(await runToEnd(place, lane.env), ['growing']);
  });

  test('files that are replaced during the run fail one by one, and the next run takes the new content', async () => {
    const { place, keys } = await placeWith('replaced', 3);
    const hold = [{ match: 'createJob', nth: 1, do: { delayMs: 2_000, before: true } }];
    const report = await lane.withFaults(hold, async () => {
      const before = await lane.requestsOf('createJob');
      const running = startRun(place, lane.env);
      await waitWhileRunning(
        running,
        'the upload is prepared',
        async () => (await lane.requestsOf('createJob')) > before,
      );
      const other = smallModel('another', { paddingBytes: 4_000 });
      await writeFile(join(place.folder, 'replaced-02.glb'), other);
      return reportOf(await running.finished, 3);
    });
    expect(report.failures).toMatchObject([{ key: 'replaced-02', code: 'SOURCE_CHANGED' }]);
    await expectPictures(
      report,
      keys.filter((key) => key !== 'replaced-02'),
    );
    await expectPictures(await runToEnd(place, lane.env), ['replaced-02']);
  });

  test('files that disappear during the run fail one by one', async () => {
    const { place } = await placeWith('gone', 3);
    const hold = [{ match: 'createJob', nth: 1, do: { delayMs: 2_000, before: true } }];
    const report = await lane.withFaults(hold, async () => {
      const before = await lane.requestsOf('createJob');
      const running = startRun(place, lane.env);
      await waitWhileRunning(
        running,
        'the upload is prepared',
        async () => (await lane.requestsOf('createJob')) > before,
      );
      await rm(join(place.folder, 'gone-01.glb'));
      return reportOf(await running.finished, 3);
    });
    expect(report.failures).toMatchObject([{ key: 'gone-01', code: 'FILE_GONE' }]);
    expect(report.assets.complete).toBe(2);
  });
});

inLane('a cause of the whole run', temporal, (lane) => {
  const mountable = canMount();

  test.skipIf(!mountable)('a full disk pauses the run, and resume completes it', async () => {
    const { place, keys, files } = await placeWith('disk', 24, {
      settings: { imageCustomWidth: 640, imageCustomHeight: 360 },
    });
    await mkdir(place.out);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place.out]);
    try {
      const filler = join(place.out, 'filler');
      await writeFile(filler, Buffer.alloc(700_000));
      const before = await lane.sandbox.stats();
      const paused = errorOf(await startRun(place, lane.env).finished, 75);
      expect(paused).toMatchObject({ schema: 'renderline/error/v1', code: 'DISK_FULL' });
      expect(paused.fix).toContain(`renderline resume ${paused.run}`);
      await rm(filler);
      execFileSync('mount', ['-o', 'remount,size=32m', place.out]);
      const report = await lane.resumeAndWait(paused.run ?? '');
      await expectPictures(report, keys, { width: 640, height: 360 });
      expectOnce(before, await lane.sandbox.stats(), files);
    } finally {
      execFileSync('umount', [place.out]);
    }
  });

  test('a revoked key pauses the run, and resume completes it without duplicates', async () => {
    const { place, keys, files } = await placeWith('revoked', 6);
    const hold = [{ match: 'createProjects', nth: 1, do: { delayMs: 1_500 } }];
    const before = await lane.sandbox.stats();
    const paused = await lane.withFaults(hold, async () => {
      const running = startRun(place, lane.env);
      await waitWhileRunning(running, 'the run is under way', async () => {
        const { created } = await lane.sandbox.stats();
        return created.projects > before.created.projects;
      });
      await lane.sandbox.set('access', { deny: 'INVALID_API_KEY' });
      return errorOf(await running.finished, 4);
    });
    expect(paused.code).toBe('INVALID_API_KEY');
    expect(paused.message).toContain('paused');
    const shown = await runInProcess(['show', paused.run ?? '', '--json'], lane.env);
    expect(JSON.parse(shown.stdout)).toMatchObject({ outcome: 'paused' });
    await lane.sandbox.set('access', { deny: null });
    await expectPictures(await lane.resumeAndWait(paused.run ?? ''), keys);
    expectOnce(before, await lane.sandbox.stats(), files);
  });

  test('a used-up plan pauses the run, and resume completes it', async () => {
    const { place, keys, files } = await placeWith('limit', 5);
    const before = await lane.sandbox.stats();
    await lane.sandbox.set('limits', { projects: 0 });
    const paused = errorOf(await startRun(place, lane.env).finished, 75);
    expect(paused.code).toBe('PLAN_LIMIT_REACHED');
    expect((await lane.sandbox.stats()).created.projects).toBe(before.created.projects);
    await lane.sandbox.set('limits', { projects: null });
    await expectPictures(await lane.resumeAndWait(paused.run ?? ''), keys);
    expectOnce(before, await lane.sandbox.stats(), files);
  });

  test('full storage pauses the run, and resume completes it', async () => {
    const { place, keys, files } = await placeWith('storage', 3);
    const before = await lane.sandbox.stats();
    await lane.sandbox.set('limits', { storageBytes: 1 });
    const paused = errorOf(await startRun(place, lane.env).finished, 75);
    expect(paused.code).toBe('STORAGE_LIMIT_REACHED');
    await lane.sandbox.set('limits', { storageBytes: null });
    await expectPictures(await lane.resumeAndWait(paused.run ?? ''), keys);
    expectOnce(before, await lane.sandbox.stats(), files);
  });
});

inLane('the API key and its allowance', temporal, (lane) => {
  test.each(['worker', 'api getMe', 'doctor', 'run'])(
    '%s with a wrong key exits with code 4 and does not show the key',
    async (command) => {
      const env = {
        ...joined(temporal.env, lane.sandbox.env),
        RENDERLINE_API_KEY: 'svc_wrong_key',
      };
      const { place } = await placeWith('wrong-key', 1);
      const args = command === 'run' ? runArguments(place, '--wait') : command.split(' ');
      const finished = await run(args, env);
      expect(finished.code, finished.stderr).toBe(4);
      expect(finished.stdout + finished.stderr).toContain('RENDERLINE_API_KEY');
      expect(finished.stdout + finished.stderr).not.toContain('svc_wrong_key');
    },
  );

  test('requests wait out 429 responses without a burst of retries', async () => {
    const { place, keys, files } = await placeWith('storm', 8);
    const before = await lane.sandbox.stats();
    const storm = [{ match: '**', every: 4, times: 3, do: { rateLimited: true } }];
    const report = await lane.withFaults(storm, () => runToEnd(place, lane.env));
    const after = await lane.sandbox.stats();
    await expectPictures(report, keys);
    expectOnce(before, after, files);
    expect(after.rateLimited - before.rateLimited).toBe(3);
    expect(after.totalRequests - before.totalRequests).toBeLessThan(60);
  });
});

/** Mounting a small file system needs root; prints the reason if it is not possible. */
function canMount(): boolean {
  if (process.getuid?.() === 0 && process.platform === 'linux') return true;
  process.stderr.write('skipped: a full disk needs a mount, which only root on Linux may make\n');
  return false;
}
