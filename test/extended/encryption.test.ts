// With codec keys no content of a run can be read in Temporal's database; with private names, no name either. A client
// without a key gets an error that names the key.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListedSchedule } from '../../src/app/schedules/list.ts';
import { findKeyId } from '../../src/temporal/codec/payload-codec.ts';
import { type DurableTemporal, startDurableTemporal } from '../system/_durable-temporal.ts';
import { withClient } from '../system/_histories.ts';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  errorOf,
  joined,
  type PipelineFolder,
  type RunReport,
  reportOf,
  runArguments,
  startRun,
} from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import { type Env, start, useProcesses, waitUntil } from '../system/_stack.ts';

useProcesses();

/** These words occur in names of pipeline, folders, schedule and assets, and in the platform's text of a failure. */
const canaries = ['quetzal', 'axolotl', 'ocelot', 'narwhal'];
const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');

let temporal: DurableTemporal;
let sandbox: SandboxInUse;
let place: PipelineFolder;
let keyless: Env;
let old: Env;
let rotated: Env;
let first: RunReport;

const said = async (args: string[], env: Env, code = 0): Promise<string> => {
  const finished = await runInProcess(args, env);
  expect(finished, finished.stderr + finished.stdout).toMatchObject({ code });
  return finished.stdout;
};

beforeAll(async () => {
  temporal = await startDurableTemporal();
  sandbox = await startSandbox(fastSandbox);
  keyless = joined(temporal.env, sandbox.env);
  const hidden = { ...keyless, RENDERLINE_PRIVATE_NAMES: '1' };
  old = { ...hidden, RENDERLINE_CODEC_KEYS: `old:${keyOf(1)}` };
  rotated = { ...hidden, RENDERLINE_CODEC_KEYS: `new:${keyOf(2)},old:${keyOf(1)}` };
  await said(['doctor', '--fix'], old).catch(() => undefined);
  place = await createPipelineFolder('quetzal', { maxRetries: 0 });
  const text = (await readFile(place.file, 'utf8')).replace('name: pictures', 'name: quetzal');
  place.file = join(place.root, 'quetzal.yaml');
  const parameters = `{ folder: ${place.folder}, out: ${place.out} }`;
  const schedule = `{ name: axolotl, cron: "0 3 1 1 *", parameters: ${parameters} }`;
  await writeFile(place.file, `${text}schedule:\n  - ${schedule}\n`);
  await writeModels(place.folder, names('ocelot', 3));
  await sandbox.set('faults', [
    { render: '*ocelot-02*', do: { failure: 'the narwhal in ocelot-02 has no texture' } },
  ]);
  const worker = await startWorkerInProcess(old);
  first = reportOf(await startRun(place, old).finished, 3);
  await said(['apply', place.root], old);
  const trigger = await said(['schedules', 'trigger', 'quetzal/axolotl', '--json'], old);
  const { run } = JSON.parse(trigger) as { run: string };
  await said(['show', run, '--wait'], old, 3);
  await worker.stop();
});

afterAll(async () => {
  await temporal.close();
});

describe('with the key', () => {
  test('commands with the key show a run as if it were not encrypted', async () => {
    expect(first.failures).toMatchObject([
      { key: 'ocelot-02', message: expect.stringContaining('narwhal') },
    ]);
    expect(await said(['failures', first.run], old)).toContain('narwhal');
    const listed = JSON.parse(await said(['runs', '--pipeline', 'quetzal', '--json'], old)) as {
      runs: unknown[];
    };
    expect(listed.runs).toHaveLength(2);
    const report = join(place.root, 'report');
    await said(['report', first.run, '--output', report], old);
  });

  test('the open workflows of the allowance and the poll leader can be replayed with the key', async () => {
    const { replayed, failed } = JSON.parse(await said(['replay', '--json'], old)) as {
      replayed: number;
      failed: unknown[];
    };
    expect(failed).toEqual([]);
    expect(replayed).toBeGreaterThan(0);
  });

  test('schedules are listed under their names with the key', async () => {
    const { schedules } = JSON.parse(await said(['schedules', '--json'], old)) as {
      schedules: ListedSchedule[];
    };
    expect(schedules).toMatchObject([{ schedule: 'quetzal/axolotl', file: 'quetzal.yaml' }]);
    expect(await said(['apply', place.root, '--dry-run'], old)).toContain(
      '= quetzal/axolotl  unchanged',
    );
  });
});

describe('without the key', () => {
  test.each([
    ['show', () => ['show', first.run]],
    ['failures', () => ['failures', first.run]],
    ['rerun', () => ['rerun', first.run, '--failed', '--yes']],
  ])('without the key, `%s` states which key is missing and what to set', async (_name, args) => {
    const { code, message, fix } = errorOf(await runInProcess([...args(), '--json'], keyless), 4);
    expect(code).toBe('CODEC_KEY_MISSING');
    expect(message).toContain('the key "old"');
    expect(fix).toContain('export RENDERLINE_CODEC_KEYS=old:KEY');
  });

  test('a client that has another key under the same id is detected', async () => {
    const wrong = { ...old, RENDERLINE_CODEC_KEYS: `old:${keyOf(7)}` };
    const { code } = errorOf(await runInProcess(['show', first.run, '--json'], wrong), 4);
    expect(code).toBe('CODEC_KEY_WRONG');
  });

  test('a worker does not start while a run in its queue needs a worker with the key', async () => {
    const started = JSON.parse(
      await said(
        [...runArguments(place, '--only', 'ocelot-02', '--force', '--yes'), '--json'],
        rotated,
      ),
    ) as { run: string };
    await waitUntil('the run is listed', async () =>
      (await said(['runs'], rotated)).includes(started.run),
    );
    const refused = await start(['worker'], old).finished;
    expect(refused, refused.stderr).toMatchObject({ code: 4 });
    expect(refused.stderr).toContain('the key "new"');
    expect((await runInProcess(['doctor'], old)).stdout).toMatch(/FAIL +runs +.*the key "new"/);
    const worker = await startWorkerInProcess(rotated);
    await said(['show', started.run, '--wait'], rotated, 1);
    await withClient(rotated, async ({ client }) => {
      const { events } = await client.workflow.getHandle(started.run).fetchHistory();
      const failed = events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure;
      expect(failed).toMatchObject({ message: 'Encoded failure', stackTrace: '' });
      expect(findKeyId(failed?.encodedAttributes ?? {})).toBe('new');
    });
    // Payloads of the old key can still be read.
    expect(await said(['failures', first.run], rotated)).toContain('narwhal');
    await worker.stop();
  });
});

test("a command that lacks the worker's key identifies the key, and shows no zeros", async () => {
  await sandbox.set('faults', [{ render: '**', do: { durationMs: 3_600_000 } }]);
  const again = [...runArguments(place, '--only', 'ocelot-01', '--force', '--yes'), '--json'];
  const { run } = JSON.parse(await said(again, old)) as { run: string };
  const worker = await startWorkerInProcess(rotated);
  const key = /the key "new", which is not set here.*\n.*export RENDERLINE_CODEC_KEYS=new:KEY/;
  await waitUntil('the worker answers', async () => key.test(await said(['show', run], old)));
  const shown = await said(['show', run], old);
  expect(shown).not.toMatch(/no worker|\b0 (API|history)/);
  // Figures from records are known without a key, and are marked as such.
  expect(shown).toMatch(/assets +(unknown|0 of 1 complete, according to its records)\n/);
  const { unknown } = JSON.parse(await said(['show', run, '--json'], old)) as RunReport & {
    unknown: string | null;
  };
  expect(unknown).toMatch(key);
  expect(JSON.parse(await said(['show', run, '--json'], rotated))).toMatchObject({ unknown: null });
  await said(['cancel', run], rotated);
  await worker.stop();
});

test("Temporal's database contains none of the names and texts", async () => {
  const ids = await withClient(rotated, async ({ client }) => {
    const found: string[] = [];
    for await (const { workflowId } of client.workflow.list()) found.push(workflowId);
    return found;
  });
  // Runs, shards, the allowance and the poll leader.
  expect(ids.length).toBeGreaterThan(6);
  const parts = ['', '-wal'].map((suffix) =>
    readFile(temporal.dbFilename + suffix).catch(() => Buffer.alloc(0)),
  );
  const text = Buffer.concat(await Promise.all(parts))
    .toString('latin1')
    .toLowerCase();
  expect(text).toContain('encryption-key-id');
  for (const canary of canaries) {
    const at = text.indexOf(canary);
    expect(at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 200), canary).toBe('');
  }
});

test('after the setting changes, schedules get other ids, and `apply --prune` removes the previous schedules', async () => {
  const shown = { ...old, RENDERLINE_PRIVATE_NAMES: '0' };
  const listIds = () =>
    withClient(old, async ({ client }) => {
      const ids: string[] = [];
      for await (const { scheduleId } of client.schedule.list()) ids.push(scheduleId);
      return ids.sort();
    });
  const untilListed = (ids: string[]) =>
    waitUntil(`${ids.join(', ')} are listed`, async () => isDeepStrictEqual(await listIds(), ids));
  const [hidden = ''] = await listIds();
  expect(hidden).toMatch(/^p[0-9a-f]{12}/);
  await said(['apply', place.root], shown);
  await untilListed([hidden, 'quetzal/axolotl']);
  await said(['apply', place.root, '--prune'], old);
  await untilListed([hidden]);
  await said(['apply', place.root, '--prune'], shown);
  await untilListed(['quetzal/axolotl']);
});
