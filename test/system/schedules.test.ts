// Schedules on a real Temporal server: `apply`, automatic starts, pauses and backfills.
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ListedRun } from '../../src/app/runs/listed-run.ts';
import type { ScheduleControlResult } from '../../src/app/schedules/control.ts';
import type { ListedSchedule } from '../../src/app/schedules/list.ts';
import { removeSchedule } from '../../src/app/schedules/temporal-schedules.ts';
import { eventTriggerIdOf, stopEventTrigger } from '../../src/temporal/runs/event-triggers.ts';
import { untilServerStarts } from './_due-times.ts';
import { runInProcess } from './_in-process.ts';
import { names, writeModels } from './_models.ts';
import { json, Pipelines } from './_pipelines.ts';
import { createPipelineFolder, errorOf, reportOf, useProduct } from './_runs.ts';
import { type Env, tempFolder, useProcesses, waitUntil } from './_stack.ts';
import { useClient, useTemporal } from './_temporal.ts';

useProcesses();
const temporal = useTemporal();
const product = useProduct(temporal);

const client = useClient(temporal);

const pipelines = async () => new Pipelines(await tempFolder('pipelines'), product.env);

async function listed(name: string): Promise<ListedSchedule | undefined> {
  const answer = await runInProcess(['schedules', '--json'], product.env);
  const { schedules } = json<{ schedules: ListedSchedule[] }>(answer);
  return schedules.find(({ schedule }) => schedule === name);
}

/** Runs that a schedule has started, oldest first, as `renderline runs` lists them. */
async function runsOf(name: string): Promise<ListedRun[]> {
  const answer = await runInProcess(['runs', '--pipeline', name, '--json'], product.env);
  return json<{ runs: ListedRun[] }>(answer).runs.reverse();
}

const yearly = 'cron: "0 0 1 1 *"';

describe('apply', () => {
  test('apply creates a schedule, leaves it alone, updates it, and shows the difference by field', async () => {
    const files = await pipelines();
    await files.write('nightly', ['cron: "0 2 * * *"', 'timezone: Europe/Berlin']);
    const [planned] = await files.apply('--dry-run');
    expect(planned).toMatchObject({ schedule: 'nightly', change: 'create' });
    expect(planned?.next).toHaveLength(10);
    expect(await listed('nightly')).toBeUndefined();

    expect(await files.apply()).toMatchObject([{ change: 'create' }]);
    expect(await files.apply()).toMatchObject([{ change: 'unchanged', fields: [] }]);

    await files.write('nightly', [
      'cron: "30 3 * * 1-5"',
      'timezone: Europe/Berlin',
      'overlap: buffer_one',
    ]);
    const [changed] = await files.apply();
    expect(changed).toMatchObject({ change: 'update' });
    expect(changed?.fields).toEqual([
      { field: 'cron', was: '0 2 * * *', is: '30 3 * * 1-5' },
      { field: 'overlap', was: 'skip', is: 'buffer_one' },
    ]);
    expect(await files.apply()).toMatchObject([{ change: 'unchanged' }]);
    await waitUntil('the list shows it', async () => (await listed('nightly')) !== undefined);
    expect(await listed('nightly')).toMatchObject({
      file: 'nightly.yaml',
      times: '30 3 * * 1-5',
      timezone: 'Europe/Berlin',
      overlap: 'buffer_one',
      paused: null,
      next: expect.objectContaining({ length: 10 }),
    });
  });

  test('apply shows and reverts what was changed elsewhere', async () => {
    const files = await pipelines();
    await files.write('edited', [yearly]);
    await files.apply();
    const handle = client().schedule.getHandle('edited');
    await handle.update(({ action, policies, state }) => ({
      action,
      policies,
      state,
      spec: { calendars: [{ hour: 5 }], jitter: 5_000 },
    }));
    const [change] = await files.apply();
    expect(change?.fields).toEqual([
      { field: 'cron', was: 'changed elsewhere', is: '0 0 1 1 *' },
      { field: 'jitter', was: '5s', is: '1m' },
    ]);
    expect(change?.change).toBe('update');
    expect((await files.apply())[0]?.change).toBe('unchanged');
  });

  test('apply --prune removes schedules that no file declares, but not those of other owners', async () => {
    const files = await pipelines();
    await files.write('kept', [yearly]);
    await files.write('dropped', [yearly]);
    await files.apply();
    await client().schedule.create({
      scheduleId: 'foreign',
      spec: { intervals: [{ every: '1d' }] },
      action: { type: 'startWorkflow', workflowType: 'x', taskQueue: 'x' },
      state: { paused: true },
    });
    const others = { ...product.env, RENDERLINE_TASK_QUEUE: 'another-team' };
    const theirs = await pipelines();
    await theirs.write('another-teams', [yearly]);
    json(await runInProcess(['apply', theirs.folder, '--json'], others));
    await waitUntil('the list shows all', async () => {
      const seen = await Promise.all(['kept', 'dropped', 'another-teams'].map(listed));
      return seen.every((one) => one !== undefined);
    });
    await rm(join(files.folder, 'dropped.yaml'));
    const left = (await files.apply()).find(({ schedule }) => schedule === 'dropped');
    expect(left).toMatchObject({ change: 'undeclared' });
    const changes = await files.apply('--prune');
    expect(changes).toContainEqual(
      expect.objectContaining({ schedule: 'dropped', change: 'remove' }),
    );
    await expect(client().schedule.getHandle('dropped').describe()).rejects.toThrow(/not found/i);
    for (const name of ['kept', 'foreign', 'another-teams']) {
      await client().schedule.getHandle(name).describe();
    }
  });

  test('apply refuses the name of a foreign schedule, and applies nothing', async () => {
    const files = await pipelines();
    await files.write('aaa', [yearly]);
    await files.write('taken', [yearly]);
    await client().schedule.create({
      scheduleId: 'taken',
      spec: {},
      action: { type: 'startWorkflow', workflowType: 'x', taskQueue: 'x' },
    });
    const refused = await runInProcess(['apply', files.folder, '--json'], product.env);
    expect(errorOf(refused, 2).code).toBe('FOREIGN_SCHEDULE');
    await expect(client().schedule.getHandle('aaa').describe()).rejects.toThrow(/not found/i);
  });

  test('apply applies nothing if one file is invalid, and reports its problems', async () => {
    const files = await pipelines();
    await files.write('good', [yearly]);
    await files.write('wrong', ['cron: "61 2 * * *"', 'timezone: Europe/Berln']);
    const refused = await runInProcess(['apply', files.folder, '--json'], product.env);
    const { problems } = json<{ problems: { code: string; line: number }[] }>(refused, 2);
    expect(problems.map(({ code }) => code).filter((code) => code.startsWith('RL7'))).toEqual([
      'RL701',
      'RL702',
    ]);
    await expect(client().schedule.getHandle('good').describe()).rejects.toThrow(/not found/i);
  });

  const byHand = ['nodes: [{ id: take, type: connector_poll, config: { connector: out } }]'];
  const onEvents = ['nodes: [{ id: begin, type: model_ready, config: { on: model.processed } }]'];
  test.each([
    ['schedule', 'changes', [...byHand, `schedule: { ${yearly} }`]],
    ['event-trigger', 'eventTriggers', onEvents],
  ])('apply shows a %s that its file no longer declares', async (kind, field, declared) => {
    const name = `former-${kind}`;
    const folder = await tempFolder(name);
    const file = join(folder, `${name}.yaml`);
    const out = `connectors: { out: { type: local, path: ${JSON.stringify(folder)} } }`;
    const write = (lines: string[]) =>
      writeFile(file, [`name: ${name}`, out, 'records: out', ...lines].join('\n'));
    await write(declared);
    json(await runInProcess(['apply', file, '--json'], product.env));
    await write(byHand);
    const preview = () => runInProcess(['apply', file, '--dry-run', '--json'], product.env);
    const count = async () => json<Record<string, unknown[]>>(await preview())[field]?.length;
    await waitUntil('it is listed', async () => (await count()) === 1);
    const shown = await preview();
    expect(json(shown)).toMatchObject({ [field]: [{ change: 'undeclared', file: null }] });
    expect(shown.stderr).toContain('was applied before still starts runs of its pipeline');
    expect(shown.stderr).not.toContain('start only manually');
    await stopEventTrigger(client(), eventTriggerIdOf(client(), name));
    await removeSchedule(client(), name);
    await waitUntil('it is gone', async () => (await count()) === 0);
    expect((await preview()).stderr).toContain('so its runs start only manually');
  });

  test('apply ignores files without a schedule, and files that are not pipelines', async () => {
    const files = await pipelines();
    await writeFile(join(files.folder, 'renderline.yaml'), 'taskQueue: x\n');
    await copyFile((await createPipelineFolder('plain')).file, join(files.folder, 'plain.yaml'));
    const changes = await files.apply();
    expect(changes.filter(({ change }) => change !== 'undeclared')).toEqual([]);
  });
});

describe('runs of a schedule', () => {
  test('runs that `trigger` has started are listed and shown like other runs', async () => {
    const files = await pipelines();
    const { folder } = await files.write('triggered', [yearly]);
    await writeModels(folder, names('shoe', 2));
    await files.apply();
    const preview = ['schedules', 'trigger', 'triggered', '--dry-run', '--json'];
    expect(json(await runInProcess(preview, product.env))).toMatchObject({
      schedule: 'triggered',
      heldBy: null,
      given: { file: 'triggered.yaml' },
    });
    expect(await runsOf('triggered')).toEqual([]);
    const triggered = json<ScheduleControlResult>(
      await runInProcess(['schedules', 'trigger', 'triggered', '--json'], product.env),
    );
    const id = triggered.run ?? '';
    expect(id).toMatch(/^triggered-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const report = reportOf(await runInProcess(['show', id, '--wait', '--json'], product.env));
    expect(report).toMatchObject({
      run: id,
      pipeline: 'triggered',
      outcome: 'complete',
      assets: { complete: 2 },
    });
    expect(report.files).toHaveLength(2);
    expect(await runsOf('triggered')).toMatchObject([
      { run: id, state: 'complete', schedule: 'triggered' },
    ]);
    const { staticSummary } = await client()
      .workflow.getHandle(id)
      .describe()
      .then(async (described) => ({
        staticSummary: await described.staticSummary(),
      }));
    expect(staticSummary).toBe('triggered (triggered.yaml)');
    await waitUntil(
      'the list has the run',
      async () => (await listed('triggered'))?.last[0]?.run === id,
    );

    // A second start finds nothing new, and has its own id.
    const again = json<ScheduleControlResult>(
      await runInProcess(['schedules', 'trigger', 'triggered', '--json'], product.env),
    );
    expect(again.run).not.toBe(id);
    const second = reportOf(
      await runInProcess(['show', again.run ?? '', '--wait', '--json'], product.env),
    );
    expect(second).toMatchObject({ outcome: 'complete', assets: { complete: 0, skipped: 2 } });
  });

  test('runs of a schedule obey the limits of the file, and start nothing beyond them', async () => {
    const files = await pipelines();
    const { folder } = await files.write('capped', [yearly], ['limits: { models: 1 }']);
    await writeModels(folder, names('glove', 2));
    await files.apply();
    const trigger = ['schedules', 'trigger', 'capped', '--json'];
    const first = json<ScheduleControlResult>(await runInProcess(trigger, product.env));
    const refused = await runInProcess(['show', first.run ?? '', '--wait', '--json'], product.env);
    expect(errorOf(refused, 1)).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      message: expect.stringContaining('limits.models allows 1, but the plan needs 2'),
    });
    await files.write('capped', [yearly], ['limits: { models: 2 }']);
    const [change] = await files.apply();
    expect(change?.fields).toEqual([{ field: 'limits.models', was: '1', is: '2' }]);
    const second = json<ScheduleControlResult>(await runInProcess(trigger, product.env));
    const report = reportOf(
      await runInProcess(['show', second.run ?? '', '--wait', '--json'], product.env),
    );
    expect(report.assets).toMatchObject({ total: 2, complete: 2 });
  });

  test('a schedule starts runs at an interval, is held by a pause and continues after a resume', async () => {
    const files = await pipelines();
    const place = await files.write('ticking', ['every: 1s', 'jitter: 0s']);
    await writeModels(place.folder, names('hat', 1));
    await files.apply();
    await waitUntil(
      'two runs came by themselves',
      async () => (await runsOf('ticking')).length >= 2,
    );
    const ran = await runsOf('ticking');
    expect(new Set(ran.map((one) => one.run)).size).toBe(ran.length);

    const paused = ['schedules', 'pause', 'ticking', '--reason', 'stocktaking', '--json'];
    expect(json(await runInProcess(paused, product.env))).toMatchObject({ paused: 'stocktaking' });
    expect(await listed('ticking')).toMatchObject({ paused: 'stocktaking', next: [] });
    // A change of the file does not end the pause of a person.
    await files.write('ticking', ['every: 2s', 'jitter: 0s']);
    expect(await files.apply()).toContainEqual(
      expect.objectContaining({ schedule: 'ticking', change: 'update', paused: 'stocktaking' }),
    );
    const handle = client().schedule.getHandle('ticking');
    const { state, info } = await handle.describe();
    expect(state.paused).toBe(true);
    await untilServerStarts(client(), 4);
    const taken = async () => (await handle.describe()).info.numActionsTaken;
    expect(await taken()).toBe(info.numActionsTaken);

    json(await runInProcess(['schedules', 'resume', 'ticking', '--json'], product.env));
    await waitUntil('it starts runs', async () => (await taken()) > info.numActionsTaken);
    await handle.delete();
  });

  test('a file can pause its schedule with a reason, and resumes it when the line is removed', async () => {
    const files = await pipelines();
    await files.write('held', [yearly, 'paused: not before the fair']);
    await files.apply();
    const handle = client().schedule.getHandle('held');
    expect((await handle.describe()).state).toMatchObject({
      paused: true,
      note: 'not before the fair',
    });
    await files.write('held', [yearly]);
    expect((await files.apply())[0]?.fields).toEqual([
      { field: 'paused', was: 'not before the fair', is: 'no' },
    ]);
    expect((await handle.describe()).state).toMatchObject({ paused: false });
  });

  test('a schedule with overlap `skip` starts no run while another one is in progress', async () => {
    const files = await pipelines();
    const place = await files.write('slow', [yearly]);
    await writeModels(place.folder, names('boot', 1));
    await product.sandbox.set('faults', [{ model: 'boot-*', do: { durationMs: 600_000 } }]);
    await files.apply();
    const first = json<ScheduleControlResult>(
      await runInProcess(['schedules', 'trigger', 'slow', '--json'], product.env),
    );
    const preview = ['schedules', 'trigger', 'slow', '--dry-run'];
    expect((await runInProcess(preview, product.env)).stdout).toContain(
      `slow would start nothing: ${first.run} is still running, and overlap is skip.`,
    );
    const second = json<ScheduleControlResult>(
      await runInProcess(['schedules', 'trigger', 'slow', '--json'], product.env),
    );
    expect([first.run === null, second.run, second.skipped]).toEqual([false, null, true]);
    expect(await listed('slow')).toMatchObject({ skipped: { overlap: 1, missed: 0 } });
    await product.sandbox.set('faults', []);
    expect((await runInProcess(['cancel', first.run ?? ''], product.env)).code).toBe(0);
  });
});

describe('backfill', () => {
  const from = '2026-03-28';
  const to = '2026-03-31T00:00';

  test('a backfill shows the starts in a range, requires --yes, and starts each run once', async () => {
    const files = await pipelines();
    await files.write('past', ['cron: "30 2 * * *"', 'timezone: Europe/Berlin']);
    await files.apply();
    const range = ['backfill', 'past', '--from', from, '--to', to];
    const asked = await runInProcess(range, product.env);
    expect([asked.code, asked.stdout]).toEqual([2, '']);
    // On the 29th, 02:30 does not exist.
    expect(asked.stderr.split('\n').slice(0, 2)).toEqual([
      '2026-03-28 02:30:00 +01:00  past-2026-03-28T01:30:00Z',
      '2026-03-30 02:30:00 +02:00  past-2026-03-30T00:30:00Z',
    ]);
    expect(asked.stderr).toContain('--yes');
    const { started } = json<{ started: string[] }>(
      await runInProcess([...range, '--yes', '--json'], product.env),
    );
    expect(started).toEqual(['past-2026-03-28T01:30:00Z', 'past-2026-03-30T00:30:00Z']);
    for (const id of started) {
      await waitUntil(`${id} was started`, async () =>
        (await runsOf('past')).some((one) => one.run === id),
      );
      expect(
        reportOf(await runInProcess(['show', id, '--wait', '--json'], product.env)).outcome,
      ).toBe('complete');
      // The run started now, not at the past time that its id contains.
      const listed = (await runsOf('past')).find(({ run }) => run === id);
      expect(Date.now() - Date.parse(listed?.startedAt ?? '')).toBeLessThan(3_600_000);
    }
    const again = json<{ started: string[]; starts: { hasRun: boolean }[] }>(
      await runInProcess([...range, '--yes', '--json'], product.env),
    );
    expect([again.started, again.starts.map(({ hasRun }) => hasRun)]).toEqual([[], [true, true]]);
    expect((await runsOf('past')).map(({ run }) => run)).toEqual(started);
  });

  test.each([
    ['a range that ends before it starts', ['--from', to, '--to', from], 'BAD_RANGE'],
    ['a range in the future', ['--from', from, '--to', '2099-01-01'], 'BAD_RANGE'],
    ['an invalid time', ['--from', 'yesterday', '--to', to], 'BAD_TIME'],
    ['a range that is too long', ['--from', '2020-01-01', '--to', to], 'BACKFILL_TOO_LONG'],
  ])('a backfill of %s is refused', async (_name, range, code) => {
    const files = await pipelines();
    await files.write('bounds', ['every: 1d']);
    await files.apply();
    const refused = await runInProcess(
      ['backfill', 'bounds', ...range, '--yes', '--json'],
      product.env,
    );
    expect(errorOf(refused, 2).code).toBe(code);
  });
});

describe('exit codes', () => {
  test.each([
    ['schedules pause', ['schedules', 'pause', 'nowhere', '--reason', 'x']],
    ['schedules resume', ['schedules', 'resume', 'nowhere']],
    ['schedules trigger', ['schedules', 'trigger', 'nowhere']],
    ['backfill', ['backfill', 'nowhere', '--from', '2026-01-01', '--to', '2026-01-02']],
  ])('`%s` for an unknown schedule exits with 5', async (_name, args) => {
    expect(errorOf(await runInProcess([...args, '--json'], product.env), 5).code).toBe(
      'SCHEDULE_NOT_FOUND',
    );
  });

  test('`apply` with a missing folder exits with 5', async () => {
    const missing = await runInProcess(['apply', '/no/such/folder', '--json'], product.env);
    expect(errorOf(missing, 5).message).toContain('/no/such/folder');
  });

  test('`apply FILE --prune` exits with 2, since --prune needs a folder', async () => {
    const { file } = await createPipelineFolder('single');
    const refused = await runInProcess(['apply', file, '--prune', '--json'], product.env);
    expect(errorOf(refused, 2).code).toBe('PRUNE_NEEDS_FOLDERS');
  });

  test.each([
    ['apply', []],
    ['schedules', []],
    ['backfill', ['away', '--from', '2026-01-01', '--to', '2026-01-02']],
  ])(
    '`%s` without a Temporal server exits with 69 and prints the command that starts one',
    async (command, more) => {
      const files = await pipelines();
      await files.write('away', [yearly]);
      const away: Env = { ...product.env, TEMPORAL_ADDRESS: '127.0.0.1:1' };
      const given = command === 'apply' ? [files.folder] : more;
      const ran = await runInProcess([command, ...given, '--json'], away);
      expect(errorOf(ran, 69).fix).toContain('renderline dev');
    },
  );
});
