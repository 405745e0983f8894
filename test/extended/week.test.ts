// A week of a studio: nightly runs with holidays and a change of the clock, a night without a decision, two people who
// reject pictures by links, a used-up quota of renders, a pause of everything, and a shop that starts a run by HTTP.
// At the end lists, records, notices, reports and the counts of the platform agree.
import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import type { ScheduleChange } from '../../src/app/apply/schedule-changes.ts';
import type { RunsList } from '../../src/app/runs/list-runs.ts';
import type { RunShape } from '../../src/app/runs/run-shape.ts';
import { queryProgress } from '../../src/app/runs/run-snapshot.ts';
import type { ListedSchedule } from '../../src/app/schedules/list.ts';
import type { AuditEntry } from '../../src/plan/contract/audit-contract.ts';
import type { SentNotice } from '../../src/plan/contract/notice-contract.ts';
import { connectTemporal } from '../../src/temporal/connection/connect.ts';
import { findFreePorts } from '../../src/temporal/server/free-ports.ts';
import { serveUi } from '../../src/ui/server.ts';
import { runInProcess, startInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { smallModel } from '../system/_models.ts';
import { json } from '../system/_pipelines.ts';
import { joined } from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { type Env, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { chromium } from './_browser.ts';
import { shiftedClock, useMovedClock } from './_moved-clock.ts';
import {
  decideByForm,
  decideInBrowser,
  easterMonday,
  pipeline,
  receiveNotices,
  type ShopAnswer,
  shopScript,
  type Told,
  usedIn,
} from './_week.ts';

useProcesses();
// Thursday before Easter. In Berlin it is 17:00, and on Sunday 28 March there is no 02:30.
const clock = useMovedClock('2027-03-25T16:00:00Z');

test('the lists, records, notices, reports and counts of a week agree', async () => {
  const { origin: notices, told } = await receiveNotices();
  const root = await tempFolder('week');
  const file = join(root, 'nightly.yaml');
  const config = join(root, 'team', 'renderline.yaml');
  for (const folder of ['office', 'models', 'review', 'shop', 'team'])
    await mkdir(join(root, folder));
  await writeFile(file, pipeline(notices));
  await writeFile(join(root, 'office', 'holidays.ics'), easterMonday);
  const model = (key: string, color?: string) =>
    writeFile(join(root, 'models', `${key}.glb`), smallModel(key, color ? { color } : {}));
  for (const key of ['chair', 'lamp', 'table']) await model(key);

  const [uiPort = 0] = await findFreePorts(1, '127.0.0.1');
  const uiOrigin = `http://127.0.0.1:${uiPort}`;
  await writeFile(config, `ui: { origin: "${uiOrigin}" }\n`);
  const secrets = {
    RENDERLINE_LINK_KEY: 'key-of-links-4711-in-this-week-of-march',
    RENDERLINE_SECRET_NOTICE: 'secret-4712-of-notices-in-this-week',
    RENDERLINE_SECRET_SHOP: 'secret-4713-of-the-shop-in-this-week',
  };
  const sandbox = await startSandbox(fastSandbox);
  const env: Env = {
    ...joined(clock.env, sandbox.env),
    ...secrets,
    RENDERLINE_CONFIG: config,
    RENDERLINE_TEMPORAL_UI: clock.server.uiAddress,
    RENDERLINE_WEBHOOK_SECRET: 'whsec_test',
    RENDERLINE_NOTICE_PAUSE_MS: '250',
  };
  const command = async <T>(args: string[], code = 0, more: Env = {}): Promise<T> =>
    json<T>(await runInProcess([...args, '--json'], { ...env, ...more }), code);
  const show = (run: string) => command<RunShape>(['show', run]);
  const pictures = async () =>
    (await readdir(join(root, 'shop'))).filter((name) => name.endsWith('.png')).sort();
  const worker = await startWorkerInProcess(env);
  const temporal = await connectTemporal({ env });
  onTestFinished(() => temporal.close());
  const stop = new AbortController();
  const ui = await serveUi(new App({ env: { ...process.env, ...env }, cwd: root }), {
    paths: [file],
    port: uiPort,
    signal: stop.signal,
  });
  onTestFinished(async () => {
    stop.abort();
    await ui.stop();
  });

  /** Waits for a notice about a run that has not been returned before. */
  const seen = new Set<string>();
  const next = async (to: string, type: string): Promise<Told> => {
    const find = () =>
      told.find(
        (one) => one.to === to && one.type === type && !seen.has(`${to} ${type} ${one.data.run}`),
      );
    await waitUntil(`${to} is told of ${type}`, () => find() !== undefined);
    const found = find();
    if (found === undefined) throw new Error('unreachable');
    seen.add(`${to} ${type} ${found.data.run}`);
    return found;
  };
  const waitFor = (run: string, what: string, check: (shape: RunShape) => boolean) =>
    waitUntil(`${run}: ${what}`, async () => check(await show(run)));
  const waiting = (run: string, assets: number) =>
    waitFor(run, `${assets} wait for a decision`, ({ waits }) =>
      waits.some(({ step, assets: count }) => step === 'judge' && count === assets),
    );
  /** Waits until the run has counted its waiting assets. Only a decision changes the count, so notices are exact. */
  const knows = async (run: string, assets: number, at: string) => {
    // A shard reports its progress five minutes after its last report.
    await waiting(run, assets);
    await clock.moveTo(at);
    await waitUntil(`${run} knows that ${assets} wait`, async () => {
      const progress = await queryProgress(temporal.client, run);
      return progress?.steps['judge']?.running === assets;
    });
  };
  /** Waits for the notice of a run's end and for the end of its workflow: until then the next start is skipped. */
  const ended = async (): Promise<SentNotice> => {
    const { data } = await next('studio', 'run.ended');
    await waitFor(data.run, 'its workflow has ended', ({ outcome }) => outcome !== 'running');
    return data;
  };
  const linkOf = ({ data }: Told) => data.decide?.url ?? '';

  // Thursday: holidays have no start, and the start at 02:30, which does not exist, is at 03:00.
  const starts = [
    '2027-03-27T01:30',
    '2027-03-28T01:00',
    '2027-03-30T00:30',
    '2027-03-31T00:30',
    '2027-04-01T00:30',
  ];
  const minutes = (times: readonly string[] = []) =>
    times.slice(0, 5).map((time) => time.slice(0, 16));
  const dryRun = await command<{ changes: ScheduleChange[] }>(['apply', file, '--dry-run']);
  expect(minutes(dryRun.changes[0]?.next)).toEqual(starts);
  await command(['apply', file]);
  await waitUntil('the schedule is listed', async () => {
    const { schedules } = await command<{ schedules: ListedSchedule[] }>(['schedules']);
    return schedules.length > 0 && minutes(schedules[0]?.next).join() === starts.join();
  });

  // No run starts on Good Friday. On Saturday Berta rejects two pictures in a browser.
  await clock.moveTo('2027-03-26T20:00:00Z');
  await clock.moveTo('2027-03-27T01:30:00Z');
  const saturday = await next('berta', 'run.waiting');
  const first = saturday.data.run;
  await waiting(first, 3);
  await clock.moveTo('2027-03-27T06:00:00Z');
  const tooDark = { reject: ['chair', 'table'], reason: 'too dark' };
  if (chromium === null) await decideByForm(linkOf(saturday), first, tooDark);
  else await decideInBrowser(linkOf(saturday), tooDark);
  expect(await ended()).toMatchObject({
    run: first,
    outcome: 'partial_failure',
    temporalUi: expect.stringContaining(clock.server.uiAddress),
    failures: ['chair', 'table'].map((key) => ({ key, code: 'APPROVAL_REJECTED' })),
  });
  expect(await pictures()).toEqual(['lamp.png']);
  // The links of Berta and Carl no longer work.
  for (const link of [saturday, await next('carl', 'run.waiting')])
    await waitUntil(
      `the link of ${link.to} has ended`,
      async () => (await fetch(linkOf(link))).status === 409,
    );

  // Sunday: both models are brighter now, and there is a new sofa, which Carl rejects.
  for (const key of ['chair', 'table']) await model(key, '#e0d0c0');
  await model('sofa');
  await clock.moveTo('2027-03-28T01:00:00Z');
  const sunday = await next('carl', 'run.waiting');
  const second = sunday.data.run;
  await waiting(second, 3);
  await clock.moveTo('2027-03-28T05:00:00Z');
  await decideByForm(linkOf(sunday), second, { reject: ['sofa'], reason: 'a seam is visible' });
  expect(await ended()).toMatchObject({
    run: second,
    outcome: 'partial_failure',
  });
  expect(await pictures()).toEqual(['chair.png', 'lamp.png', 'table.png']);

  // No run starts on Easter Monday. On Tuesday no decision comes before noon, and the studio gets two notices.
  await model('sofa', '#405060');
  await model('bench');
  await clock.moveTo('2027-03-29T20:00:00Z');
  await clock.moveTo('2027-03-30T00:30:00Z');
  await next('berta', 'run.waiting');
  const tuesday = await next('carl', 'run.waiting');
  // Berta's first unread notice is that of Sunday, which Carl decided.
  const third = (await next('berta', 'run.waiting')).data.run;
  expect(tuesday.data.run).toBe(third);
  await knows(third, 2, '2027-03-30T00:40:00Z');
  const isLate = async (lateness: string) => {
    const find = () =>
      told.find(({ data }) => data.run === third && data.deadline?.lateness === lateness);
    await waitUntil(`the studio is told: ${lateness}`, () => find() !== undefined);
    const steps = [{ step: 'judge', assets: 2 }];
    expect(find()?.data).toMatchObject({
      cause: { code: 'APPROVAL_WAITING' },
      deadline: { unfinished: 2, steps },
    });
  };
  await clock.moveTo('2027-03-30T09:05:00Z');
  await isLate('expected');
  await clock.moveTo('2027-03-30T10:00:05Z');
  await isLate('late');
  await waitFor(third, 'it shows that it is late', ({ deadline }) => deadline?.lateness === 'late');
  await clock.moveTo('2027-03-30T11:00:00Z');
  await decideByForm(linkOf(tuesday), third, { reject: [], reason: '' });
  expect(await ended()).toMatchObject({
    run: third,
    outcome: 'complete',
  });

  // Wednesday night has no work. By day everything is paused while a shop orders three pictures.
  await clock.moveTo('2027-03-31T00:30:00Z');
  const fourth = await ended();
  expect(fourth).toMatchObject({ outcome: 'complete', paid: { renders: 0 } });
  await clock.moveTo('2027-03-31T12:00:00Z');
  const receiver = startInProcess(['webhooks', '--port', '0', '--allow-runs', '--json'], env);
  onTestFinished(() => void receiver.stop());
  await receiver.waitForOutput('}');
  const { runs } = JSON.parse(receiver.stdout()) as { runs: { url: string } };
  /** Repeats the request of the shop until it gets this response. */
  const shopUntil = async (status: number, code?: string): Promise<ShopAnswer> => {
    let answer: ShopAnswer = { status: 0 };
    await waitUntil(`the shop gets ${status} ${code ?? ''}`, async () => {
      const args = ['--require', shiftedClock, '--input-type=module', '-e', shopScript];
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: {
          ...process.env,
          BASE: new URL(runs.url).origin,
          KEY: 'order-2027-0331',
          SECRET: secrets.RENDERLINE_SECRET_SHOP,
        },
      });
      answer = JSON.parse(stdout) as ShopAnswer;
      return answer.status === status && answer.code === code;
    });
    return answer;
  };
  for (const key of ['desk', 'rug', 'shelf']) await model(key);
  const anna = { RENDERLINE_ACTOR: 'Anna Blum' };
  await command(['pause', '--all', '--reason', 'wrong prices'], 0, anna);
  expect(await shopUntil(503, 'ALL_PAUSED')).toMatchObject({
    detail: expect.stringContaining('wrong prices'),
  });
  expect((await runInProcess(['schedules'], env)).stdout).toContain('wrong prices');
  const resumed = await command<object>(['resume', '--all'], 0, anna);
  expect(resumed).toMatchObject({ httpStarts: [{ pipeline: 'nightly', refused: 1 }] });
  const { run: order = '' } = await shopUntil(202);
  expect((await shopUntil(202)).run).toBe(order);

  // Eight of the nine renders of March were used, and the order takes the last. Its other two wait for April.
  await waitFor(order, 'two wait for the next month', ({ waits }) =>
    waits.some(
      ({ step, assets, until }) =>
        step === 'shots' && assets === 2 && until === '2027-03-31T22:00:00.000Z',
    ),
  );
  await waiting(order, 1);
  const { created: inMarch } = await sandbox.stats();
  expect(inMarch.renderJobs).toBe(9);
  // The worker is replaced during the night.
  await worker.stop();
  await clock.moveTo('2027-03-31T22:00:05Z');
  await startWorkerInProcess(env);
  const shown = async () =>
    (await readdir(join(root, 'review'), { recursive: true })).filter((path) =>
      path.endsWith('.png'),
    );
  await waitUntil('all three are shown', async () => (await shown()).length === 3);
  await knows(order, 3, '2027-03-31T22:06:00Z');
  // The run of the last night leaves the assets of the order alone.
  await clock.moveTo('2027-04-01T00:30:00Z');
  const fifth = await ended();
  expect(fifth.paid).toMatchObject({ renders: 0 });
  await waiting(order, 3);
  await clock.moveTo('2027-04-01T04:00:00Z');
  await next('berta', 'run.waiting');
  const asked = await next('carl', 'run.waiting');
  expect(asked.data.run).toBe(order);
  await decideByForm(linkOf(asked), order, { reject: [], reason: '' });
  expect(await ended()).toMatchObject({
    run: order,
    outcome: 'complete',
  });

  // The list contains the five nights as planned, and the order.
  const { runs: list } = await command<RunsList>(['runs', '--limit', '50']);
  const nights = [first, second, third, fourth.run, fifth.run];
  expect(list.map(({ run }) => run).sort()).toEqual([...nights, order].sort());
  const startOf = (run: string) => list.find((row) => row.run === run)?.startedAt.slice(0, 16);
  expect(nights.map(startOf)).toEqual(starts);

  // Notices, runs and reports agree.
  const shapes = await Promise.all(list.map(({ run }) => show(run)));
  for (const { run, outcome, assets, paid, failures } of shapes) {
    const notice = told.find((one) => one.data.run === run && one.type === 'run.ended')?.data;
    const keys = (of: readonly { key: string; message: string }[]) =>
      of.map(({ key, message }) => `${key}: ${message}`).sort();
    expect(notice).toMatchObject({
      outcome,
      assets: { complete: assets.complete, failed: assets.failed },
      paid,
    });
    expect(keys(notice?.failures ?? [])).toEqual(keys(failures));
    const report = await runInProcess(
      ['report', run ?? '', '--format', 'json', '--output', '-'],
      env,
    );
    const { decisions } = JSON.parse(report.stdout) as {
      decisions: { by: string; outcome: string; assets: number; reason: string | null }[];
    };
    const rejected = decisions
      .filter((one) => one.outcome === 'rejected')
      .reduce((sum, one) => sum + one.assets, 0);
    expect([run, rejected]).toEqual([run, failures.length]);
  }
  const lateTold = told
    .filter(({ type }) => type === 'run.late')
    .map(({ data }) => [data.run, data.deadline?.lateness]);
  expect(lateTold).toEqual([
    [third, 'expected'],
    [third, 'late'],
  ]);

  // The counts of the runs, of the quota and of the platform agree.
  const { created } = await sandbox.stats();
  const renders = shapes.reduce((sum, { paid }) => sum + (paid?.renders ?? 0), 0);
  const used = await Promise.all(['2027-03', '2027-04'].map((month) => usedIn(root, month)));
  expect([renders, created.renderJobs, used]).toEqual([11, 11, [9, 2]]);
  expect(await pictures()).toEqual(
    ['bench', 'chair', 'desk', 'lamp', 'rug', 'shelf', 'sofa', 'table'].map((key) => `${key}.png`),
  );
  expect(await shown()).toEqual([]);

  // The audit names who did what, and no output contains a secret.
  const { entries } = await command<{ entries: AuditEntry[] }>(['audit', '--since', '8d']);
  const acts = (what: string) => entries.filter((one) => one.what === what);
  expect(
    acts('started')
      .map(({ via }) => via)
      .sort(),
  ).toEqual(['http', ...nights.map(() => 'schedule')]);
  const decided = acts('decided').map(({ by, reason, details }) => [
    by,
    reason,
    details['rejected'] ?? 0,
  ]);
  const byText = (one: unknown, other: unknown) => (String(one) < String(other) ? -1 : 1);
  expect(decided.toSorted(byText)).toEqual([
    ['Berta Lang', 'too dark', 2],
    ['Carl Ott', null, 0],
    ['Carl Ott', null, 0],
    ['Carl Ott', 'a seam is visible', 1],
  ]);
  expect(entries.filter(({ by }) => by === 'Anna Blum').length).toBeGreaterThanOrEqual(2);
  const text = JSON.stringify([entries, list, shapes]);
  for (const secret of Object.values(secrets)) expect(text).not.toContain(secret);
}, 1_500_000);
