// An `approval` node on the command line: pictures wait in a folder of their own, a person approves some and rejects some,
// the worker is killed meanwhile, and a rejected asset is rendered again by a rerun.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { runInProcess } from './_in-process.ts';
import { names, writeModels } from './_models.ts';
import {
  createdBetween,
  createPipelineFolder,
  errorOf,
  expectPictures,
  type PipelineFolder,
  reportOf,
  startRun,
  useProductWith,
} from './_runs.ts';
import { fastSandbox } from './_sandbox.ts';
import { startWorkerProcess, useProcesses, waitUntil } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProductWith(temporal, fastSandbox, startWorkerProcess);

/** Files below a folder, without records. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  return entries.filter((path) => path.endsWith('.png') && !path.startsWith('.')).sort();
}

/** Puts an approval between the render and the export. */
async function withApproval(place: PipelineFolder): Promise<string> {
  const text = await readFile(place.file, 'utf8');
  const judge =
    '  - { id: judge, type: approval, parentIds: [shots], config: { review: review } }\n';
  await writeFile(
    place.file,
    text
      .replace('nodes:\n', `  review: { type: local, path: "\${{ params.out }}-review" }\nnodes:\n`)
      .replace('  - id: deliver\n', `${judge}  - id: deliver\n`)
      .replace(
        'parentIds: [shots]\n    config: { connector',
        'parentIds: [judge]\n    config: { connector',
      ),
  );
  return `${place.out}-review`;
}

test('a person approves some pictures and rejects some; a rerun renders the rejected ones again', async () => {
  const { env, sandbox } = product;
  const place = await createPipelineFolder('approvals');
  const review = await withApproval(place);
  const keys = names('approvals', 4);
  const [first = '', second = '', ...others] = keys;
  await writeModels(place.folder, keys);
  const before = await sandbox.stats();

  // A command that follows the run ends when only people can advance it. That is no error.
  const asked = errorOf(await startRun(place, env).finished, 7);
  expect(asked.code).toBe('APPROVAL_WAITING');
  expect(asked.message).toContain('4 assets wait for a decision about their pictures');
  const run = asked.run ?? '';
  expect(asked.fix).toContain(`renderline approve ${run}`);
  expect((await filesIn(review)).map((path) => path.split('/')[0])).toEqual(keys);
  expect(await filesIn(place.out)).toEqual([]);

  await product.worker.stop('SIGKILL');
  const worker = await startWorkerProcess(env);
  const approve = (...options: string[]) =>
    runInProcess(['approve', run, '--yes', '--json', ...options], env);
  expect(errorOf(await approve('--reject', 'true'), 2).code).toBe('REJECTED_WITHOUT_REASON');
  const some = await approve('--only', first);
  expect(JSON.parse(some.stdout), some.stderr).toMatchObject({
    schema: 'renderline/approve/v1',
    approved: 'now',
    decided: { approved: 1, rejected: 0, waiting: 3 },
  });
  // What is approved is delivered while the others wait.
  await waitUntil('the approved picture is delivered', async () => {
    return (await filesIn(place.out)).length === 1;
  });
  expect(await filesIn(place.out)).toEqual([`${first}.png`]);
  await waitUntil('its copy is gone', async () => (await filesIn(review)).length === 3);

  await approve('--reject', `key == "${second}"`, '--reason', 'too dark');
  const ended = reportOf(await runInProcess(['show', run, '--wait', '--json'], env), 3);
  await expectPictures(ended, [first, ...others]);
  expect(ended.failures).toMatchObject([
    {
      key: second,
      node: 'judge',
      code: 'APPROVAL_REJECTED',
      message: expect.stringMatching(/: too dark$/),
    },
  ]);
  expect(await filesIn(review)).toEqual([]);
  expect(createdBetween(before, await sandbox.stats()).renderJobs).toBe(4);

  const report = await runInProcess(['report', run, '--format', 'json', '--output', '-'], env);
  const { decisions, outputs, people } = JSON.parse(report.stdout) as {
    decisions: object[];
    outputs: { key: string; decision: object }[];
    people: { what: string }[];
  };
  expect(decisions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ node: 'judge', outcome: 'approved', reason: null, assets: 1 }),
      expect.objectContaining({ outcome: 'approved', reason: 'too dark', assets: 2 }),
      expect.objectContaining({ outcome: 'rejected', reason: 'too dark', assets: 1 }),
    ]),
  );
  expect(outputs.find(({ key }) => key === second)?.decision).toMatchObject({
    outcome: 'rejected',
    by: expect.stringContaining('@'),
    reason: 'too dark',
  });
  expect(people.map(({ what }) => what)).toEqual(['started', 'decided', 'decided']);

  const again = errorOf(
    await runInProcess(['rerun', run, '--failed', '--yes', '--wait', '--json'], env),
    7,
  );
  expect(createdBetween(before, await sandbox.stats()).renderJobs).toBe(5);
  await runInProcess(['approve', again.run ?? '', '--yes'], env);
  const repaired = await runInProcess(['show', again.run ?? '', '--wait', '--json'], env);
  await expectPictures(reportOf(repaired), [second]);
  await worker.stop();
});
