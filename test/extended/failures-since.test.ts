// `failures --since` and `rerun --since`: failures of many runs, each asset once, and one preview to rerun them.
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import {
  listRecentFailures,
  type RecentFailures,
} from '../../src/app/failures/list-recent-failures.ts';
import type { RecentRerunShape } from '../../src/app/rerun/rerun-recent.ts';
import type { DailyReport } from '../../src/report/daily/daily-report.ts';
import { runInProcess } from '../system/_in-process.ts';
import { writeModels } from '../system/_models.ts';
import { json } from '../system/_pipelines.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  reportOf,
  runToEnd,
  useProduct,
} from '../system/_runs.ts';
import { useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal);

const run = (...argv: string[]) => runInProcess([...argv, '--json'], product.env);
const failures = async (...more: string[]) =>
  json<RecentFailures>(await run('failures', '--since', '1h', ...more));
const rerun = async (code: number, ...more: string[]) =>
  json<RecentRerunShape>(await run('rerun', '--since', '1h', '--failed', ...more), code);

/** Each pipeline has its own name, so that it has its own records. */
async function pipeline(name: string, models: string[]): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name, { maxRetries: 0 });
  const text = await readFile(place.file, 'utf8');
  await writeFile(place.file, text.replace('name: pictures', `name: ${name}`));
  await writeModels(place.folder, models);
  return place;
}

test('each failed asset counts once until a run delivers it, and one preview reruns those that remain', async () => {
  await product.sandbox.set('faults', [{ render: 'bad-*', do: { failure: 'no light' } }]);
  const [shoes, sheets, changed] = [
    await pipeline('shoes', ['bad-shoe', 'good-shoe']),
    await pipeline('sheets', ['bad-sheet', 'good-sheet']),
    await pipeline('changed', ['bad-change', 'good-change']),
  ];
  const first = await runToEnd(shoes, product.env, 3);
  await writeModels(shoes.folder, ['good-boot']);
  const second = await runToEnd(shoes, product.env, 3);
  const ofSheets = await runToEnd(sheets, product.env, 3);
  const ofChanged = await runToEnd(changed, product.env, 3);
  await waitUntil('all runs are listed', async () => (await failures()).runs.length === 4);

  const all = await failures();
  expect(all).toMatchObject({ total: 3, notRead: 0, unreadable: [] });
  expect(all.runs.find(({ run: id }) => id === first.run)).toMatchObject({
    failed: 0,
    repaired: 0,
    failedAgain: 1,
  });
  expect(all.groups).toHaveLength(3);
  expect(all.groups.find((group) => group.pipeline === 'shoes')).toMatchObject({
    code: 'RENDER_FAILED',
    count: 1,
    keys: ['bad-shoe'],
    runs: [second.run],
  });
  expect(await failures('--pipeline', 'sheets')).toMatchObject({ total: 1 });
  expect(await failures('--where', 'key == "bad-shoe"')).toMatchObject({ total: 1 });

  // A server that is limited to one folder reports the number of runs that it leaves out.
  const notes: string[] = [];
  const limited = new App({
    env: product.env,
    cwd: sheets.root,
    folders: [sheets.root],
    onNote: (text) => notes.push(text),
  });
  expect(await listRecentFailures(limited, { since: '1h' })).toMatchObject({ total: 1 });
  expect(notes).toContain(
    '3 runs are not shown, because their records are outside the folders of this server.',
  );

  // The file of one run has changed, so a person has to choose.
  const text = await readFile(changed.file, 'utf8');
  await writeFile(changed.file, text.replace('Studio White', 'Studio Grey'));
  const preview = await rerun(3, '--dry-run');
  expect(preview).toMatchObject({
    assets: 2,
    renders: 2,
    refused: [{ of: ofChanged.run, code: 'PLAN_DIFFERS' }],
    started: null,
  });
  expect(preview.ready.map(({ of }) => of).sort()).toEqual([ofSheets.run, second.run].sort());

  // A later run of one pipeline delivers its asset, so only the other is left.
  await product.sandbox.set('faults', []);
  await runToEnd(sheets, product.env);
  await waitUntil('nothing of sheets is left', async () => {
    const { total, runs } = await failures('--pipeline', 'sheets');
    return total === 0 && runs[0]?.repaired === 1;
  });
  const { started } = await rerun(3, '--yes');
  expect(started).toMatchObject([{ of: second.run }]);
  const again = await run('show', started?.[0]?.run ?? '', '--wait');
  expect(reportOf(again).assets).toMatchObject({ total: 1, complete: 1 });
  await waitUntil(
    'nothing of shoes is left',
    async () => (await failures('--pipeline', 'shoes')).total === 0,
  );
  const byRun = (all: readonly { run: string; repaired: number }[]) =>
    Object.fromEntries(all.map(({ run: id, repaired }) => [id, repaired]));
  const ofShoes = ['--pipeline', 'shoes'];
  const since = ['report', '--since', '1h', '--format', 'json', '--output', '-', ...ofShoes];
  const report = json<DailyReport>(await runInProcess(since, product.env));
  const repairedIn = byRun((await failures(...ofShoes)).runs);
  expect(repairedIn).toEqual({ [first.run]: 1, [second.run]: 1 });
  expect(byRun(report.runs)).toMatchObject(repairedIn);
  const nothing = await rerun(0, '--yes', '--pipeline', 'shoes');
  expect(nothing).toMatchObject({ ready: [], started: null });
});
