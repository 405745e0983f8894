// `renderline rerun` repeats what a run has not delivered, from the stage that failed, and nothing else.
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { names, smallModel, writeModels } from '../system/_models.ts';
import {
  createdBetween,
  createPipelineFolder,
  errorOf,
  expectPictures,
  type PipelineFolder,
  pictureSize,
  reportOf,
  runArguments,
  runIdOf,
  startRun,
  useProduct,
  writePipeline,
} from '../system/_runs.ts';
import type { SandboxStats } from '../system/_sandbox.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);

const faults = (rules: unknown[]) => product.sandbox.set('faults', rules);
const rerun = (...words: string[]) =>
  runInProcess(['rerun', ...words, '--yes', '--json'], product.env);
const rerunToEnd = async (...words: string[]) => reportOf(await rerun(...words, '--wait'));

/** What the platform created between two reads of its statistics. */
function made(before: SandboxStats, after: SandboxStats) {
  const { models, projects } = createdBetween(before, after);
  return {
    models,
    projects,
    renders: (after.requests['createRenders'] ?? 0) - (before.requests['createRenders'] ?? 0),
    retries: (after.requests['retryRenderJob'] ?? 0) - (before.requests['retryRenderJob'] ?? 0),
    replayed: after.replayed - before.replayed,
  };
}

const nothingMade = { models: 0, projects: 0, renders: 0, retries: 0, replayed: 0 };

/** `run --wait` in this process; other test files cover separate processes. */
async function startedHere(place: PipelineFolder, code: number) {
  return reportOf(await runInProcess(runArguments(place, '--wait', '--json'), product.env), code);
}

/** A copy of the run's records under another id, since Temporal takes half a minute to forget a run. */
async function forgotten({ out }: PipelineFolder, run: string): Promise<string> {
  const runs = join(out, '.renderline', 'pictures', 'runs');
  await cp(join(runs, run), join(runs, `${run}-old`), { recursive: true });
  return `${run}-old`;
}

describe('rerun of failed renders', () => {
  let place: PipelineFolder;
  let run: string;
  const keys = names('redo', 5);
  const [first = '', second = '', third = '', fourth = ''] = keys;
  const among = (...chosen: string[]) => ['--where', `key in ${JSON.stringify(chosen)}`];

  beforeAll(async () => {
    place = await createPipelineFolder('redo', { maxRetries: 0 });
    await writeModels(place.folder, keys);
    await faults([{ render: 'redo-0[1-4]*', do: { failure: 'no light' } }]);
    run = (await startedHere(place, 3)).run;
  });

  test('a rerun retries failed assets, even if they fail repeatedly, and takes no other asset', async () => {
    await writeModels(place.folder, ['redo-new']);
    const told = JSON.parse((await runInProcess(['failures', run, '--json'], product.env)).stdout);
    expect(told.groups).toMatchObject([
      {
        count: 4,
        keys: [first, second, third, fourth],
        rerunCommand: `renderline rerun ${run} --failed --where 'code == "RENDER_FAILED" && node == "shots"'`,
      },
    ]);
    expect(errorOf(await rerun(run, '--where', 'code == "OTHER"'), 5).code).toBe('NO_MATCH');
    expect(errorOf(await rerun(run, '--where', 'coed == "OTHER"'), 2)).toMatchObject({
      code: 'WHERE',
      fix: 'Did you mean "code"?',
    });

    const before = await product.sandbox.stats();
    const both = among(first, second);
    const again = reportOf(await rerun(run, '--failed', ...both, '--wait'), 1);
    expect(again).toMatchObject({
      rerun: { of: run, failed: true, where: both[1], plan: 'pinned' },
      assets: { total: 2, complete: 0, failed: 2 },
      // The earlier run has paid for the models and the first attempts.
      paid: { renders: 2, models: 0, failedRenders: 2 },
    });
    await faults([]);
    // The same run again: idempotency keys of the first run and of its rerun are not used a second time.
    await expectPictures(await rerunToEnd(run, '--failed', ...among(first)), [first]);
    await expectPictures(await rerunToEnd(again.run), [second]);
    expect(made(before, await product.sandbox.stats())).toEqual({ ...nothingMade, retries: 4 });

    const over = await rerun(run, ...both);
    expect([over.code, JSON.parse(over.stdout)]).toMatchObject([0, { run: null }]);
    const listed = JSON.parse(
      (await runInProcess(['runs', '--paid', '--json'], product.env)).stdout,
    );
    expect(listed.runs).toContainEqual(
      expect.objectContaining({ run: again.run, paid: again.paid }),
    );
    expect(listed.runs.map(({ againOf }: { againOf: string }) => againOf)).toContain(run);
  });

  test('a rerun requires a choice of plan if the file has changed, and keeps the work that the chosen plan can use', async () => {
    const settings = { imageCustomWidth: 80, imageCustomHeight: 45 };
    await writePipeline(place, { maxRetries: 0, settings });
    const undecided = errorOf(await rerun(run, '--where', 'key != "x"'), 2);
    expect(undecided).toMatchObject({
      code: 'PLAN_DIFFERS',
      difference: { recipeChanged: true, steps: { changed: ['shots'] } },
    });
    expect(undecided.fix).toContain(`renderline rerun ${run} --where 'key != "x"' --with pinned`);

    const before = await product.sandbox.stats();
    const [pinned, latest] = await Promise.all([
      rerunToEnd(run, '--with', 'pinned', ...among(third)),
      rerun(run, '--with', 'latest', ...among(fourth)).then(async ({ stdout }) => {
        const started = JSON.parse(stdout);
        expect(started.preview.reuse).toMatchObject({ models: 1, projects: 1, renders: 0 });
        return reportOf(await runInProcess(['show', started.run, '--wait', '--json'], product.env));
      }),
    ]);
    await expectPictures(pinned, [third], pictureSize);
    await expectPictures(latest, [fourth], { width: 80, height: 45 });
    // The first retries its render, the second creates a render; both reuse their projects.
    const after = await product.sandbox.stats();
    expect(made(before, after)).toEqual({ ...nothingMade, renders: 1, retries: 1 });
  });
});

describe('rerun', () => {
  test('a rerun uses the records of a run that Temporal has forgotten, and reports a source that is gone', async () => {
    const place = await createPipelineFolder('forgotten');
    const [first, second] = ['mended', 'gone'].map((key) => join(place.folder, `${key}.glb`));
    const cutShort = smallModel('cut short').subarray(0, 300);
    for (const file of [first, second]) await writeFile(file ?? '', cutShort);
    const run = await forgotten(place, (await startedHere(place, 1)).run);
    await writeModels(place.folder, ['mended']);
    await rm(second ?? '');
    const values = ['--param', `folder=${place.folder}`, '--param', `out=${place.out}`];
    expect(errorOf(await rerun(run), 5).code).toBe('RUN_NOT_FOUND');
    const never = errorOf(await rerun('never-was', place.file, ...values, '--with', 'latest'), 5);
    expect(never.code).toBe('RUN_NOT_FOUND');
    expect(errorOf(await rerun(run, place.file, ...values), 5).code).toBe('RUN_FORGOTTEN');
    const before = await product.sandbox.stats();
    const redone = await rerun(run, place.file, ...values, '--with', 'latest', '--wait');
    const report = reportOf(redone, 3);
    await expectPictures(report, ['mended']);
    expect(report.failures).toMatchObject([{ key: 'gone.glb', code: 'SOURCE_GONE' }]);
    expect(made(before, await product.sandbox.stats())).toMatchObject({ models: 1, retries: 0 });
  });

  test('a rerun takes a picture that was late without paying for it, and refuses to repeat an open run', async () => {
    const place = await createPipelineFolder('late', { renderTimeout: '1s' });
    await writeModels(place.folder, ['late-01']);
    await faults([{ render: 'late*', do: { durationMs: 6_000 } }]);
    const running = startRun(place, product.env);
    const open = await runIdOf(running);
    expect(errorOf(await rerun(open), 2)).toMatchObject({
      code: 'RUN_OPEN',
      fix: expect.stringContaining(`renderline resume ${open}`),
    });
    const { run, failures } = reportOf(await running.finished, 1);
    expect(failures).toMatchObject([{ code: 'RENDER_TIMEOUT' }]);
    const before = await product.sandbox.stats();
    await writePipeline(place, { renderTimeout: '1m' });
    await expectPictures(await rerunToEnd(run, '--with', 'latest'), ['late-01']);
    expect(made(before, await product.sandbox.stats())).toEqual(nothingMade);

    await rm(join(place.out, '.renderline', 'pictures', 'runs', run, 'manifest'), {
      recursive: true,
    });
    const lost = errorOf(await rerun(run, '--with', 'pinned'), 2);
    expect(lost.code).toBe('RECORDS_UNREADABLE');
  });
});
