// Two workspaces on one Temporal server: each has its own task queue. If they share one by mistake, the worker of one
// does nothing for the other.
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { writeModels } from '../system/_models.ts';
import { createPipelineFolder, errorOf, reportOf, startRun } from '../system/_runs.ts';
import { startSandbox } from '../system/_sandbox.ts';
import { type Env, startWorkerProcess, useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

async function workspace(seed: string, more: Env = {}) {
  const sandbox = await startSandbox(['--speed', '50', '--seed', seed]);
  return { sandbox, env: { ...temporal.env, ...sandbox.env, ...more } };
}

test('each worker takes the runs of its own workspace', async () => {
  const both = [await workspace('1'), await workspace('2')];
  const workers = await Promise.all(both.map(({ env }) => startWorkerProcess(env)));
  for (const [at, { sandbox, env }] of both.entries()) {
    const place = await createPipelineFolder(`workspace-${at}`);
    await writeModels(place.folder, ['lamp', 'chair'].slice(at));
    const { outcome } = reportOf(await startRun(place, env).finished);
    expect([outcome, (await sandbox.stats()).created.models]).toEqual(['complete', 2 - at]);
  }
  for (const worker of workers) await worker.stop();
});

test('a worker from another workspace refuses the run with a code, and the right worker continues it', async () => {
  const shared = { RENDERLINE_TASK_QUEUE: 'shared' };
  const [mine, theirs] = [await workspace('3', shared), await workspace('4', shared)];
  const place = await createPipelineFolder('shared');
  await writeModels(place.folder, ['lamp']);
  const wrong = await startWorkerProcess(theirs.env);
  const refused = errorOf(await startRun(place, mine.env).finished, 4);
  expect(refused).toMatchObject({ code: 'OTHER_WORKSPACE' });
  expect((await theirs.sandbox.stats()).created.models).toBe(0);
  await wrong.stop();
  const right = await startWorkerProcess(mine.env);
  const { run = '' } = refused;
  expect((await runInProcess(['resume', run], mine.env)).code).toBe(0);
  const shown = await runInProcess(['show', run, '--wait', '--json'], mine.env);
  expect(reportOf(shown)).toMatchObject({ outcome: 'complete', assets: { complete: 1 } });
  expect((await mine.sandbox.stats()).created.models).toBe(1);
  await right.stop();
});

test('records of one workspace are refused to runs, reruns and cleaning in another workspace, which create nothing', async () => {
  const [mine, theirs] = [await workspace('5'), await workspace('6')];
  const workers = await Promise.all([mine, theirs].map(({ env }) => startWorkerProcess(env)));
  const place = await createPipelineFolder('records');
  await writeModels(place.folder, ['lamp', 'chair', 'stool']);
  await mine.sandbox.set('faults', [{ render: 'stool*', do: { failure: 'no light' } }]);
  const first = reportOf(await startRun(place, mine.env).finished, 3);
  expect(first).toMatchObject({ assets: { complete: 2, failed: 1 } });

  const code = 'RECORDS_OF_OTHER_WORKSPACE';
  expect(errorOf(await startRun(place, theirs.env).finished, 1)).toMatchObject({ code });
  const values = ['--param', `folder=${place.folder}`, '--param', `out=${place.out}`];
  const act = (...words: string[]) =>
    runInProcess([...words, ...values, '--yes', '--json'], theirs.env);
  expect(errorOf(await act('clean', place.file), 2)).toMatchObject({ code });
  // Temporal does not know this run, so only the records name its workspace.
  const runs = join(place.out, '.renderline', 'pictures', 'runs');
  await cp(join(runs, first.run), join(runs, 'old'), { recursive: true });
  const again = await act('rerun', 'old', place.file, '--with', 'latest');
  expect(errorOf(again, 2)).toMatchObject({ code });
  expect(await readdir(join(place.out, '.renderline', 'pictures'))).not.toContain('lineages');
  const { created } = await theirs.sandbox.stats();
  expect([created.models, created.projects]).toEqual([0, 0]);

  await mine.sandbox.set('faults', []);
  const last = reportOf(await startRun(place, mine.env).finished);
  expect(last).toMatchObject({ outcome: 'complete', assets: { unchanged: 2, complete: 1 } });
  for (const worker of workers) await worker.stop();
});
