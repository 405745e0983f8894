// Encryption is turned on while others run: clients without the key continue, and lists show whatever they can read.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { allowanceKeyOf } from '../../src/app/worker/coordination/allowance-workflow.ts';
import { workflowIds } from '../../src/plan/contract/contract.ts';
import { findKeyId } from '../../src/temporal/codec/payload-codec.ts';
import { withClient } from '../system/_histories.ts';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  joined,
  type PipelineFolder,
  reportOf,
  runArguments,
  runToEnd,
} from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import { type Env, start, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const key = `2026a:${Buffer.alloc(32, 5).toString('base64')}`;

let sandbox: SandboxInUse;
beforeAll(async () => {
  sandbox = await startSandbox(fastSandbox);
});
afterAll(async () => {
  await sandbox.stop();
});

async function said(args: string[], env: Env, code = 0): Promise<string> {
  const finished = await runInProcess(args, env);
  expect(finished, finished.stderr + finished.stdout).toMatchObject({ code });
  return finished.stdout;
}

async function answerOf<T>(args: string[], env: Env): Promise<T> {
  return JSON.parse(await said([...args, '--json'], env)) as T;
}

/** A folder with one model, and a pipeline of that name that is also on a schedule. */
async function placeOf(name: string): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name, { maxRetries: 0 });
  const { folder, out } = place;
  const text = (await readFile(place.file, 'utf8')).replace('name: pictures', `name: ${name}`);
  place.file = join(place.root, `${name}.yaml`);
  const parameters = `{ folder: ${folder}, out: ${out} }`;
  const schedule = `schedule:\n  - { name: yearly, cron: "0 3 1 1 *", parameters: ${parameters} }\n`;
  await writeFile(place.file, text + schedule);
  await writeModels(place.folder, names(name, 1));
  return place;
}

/** A pipeline that begins with events. */
const onEvents = (out: string) => `name: safe
connectors:
  pictures: { type: local, path: ${out} }
nodes:
  - { id: processed, type: model_ready, config: { on: model.processed } }
  - { id: look, type: template_match, parentIds: [processed], config: { default: Studio White } }
  - { id: shots, type: render, parentIds: [look], config: { settings: { renderShots: false } } }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;

/** Id of the key that the input of a workflow is encrypted with; null: none. */
async function keyOfInput(workflowId: string): Promise<string | null> {
  return withClient(temporal.env, async ({ client }) => {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    const [payload] = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    return findKeyId(payload ?? {});
  });
}

describe('two teams that share a namespace and an API key, of which one encrypts', () => {
  let plain: Env;
  let secret: Env;
  let shop: PipelineFolder;
  let ours: { run: string; model: string };
  let theirs: string;
  const hidden = {
    code: 'CODEC_KEY_MISSING',
    fix: expect.stringContaining('RENDERLINE_CODEC_KEYS'),
  };

  beforeAll(async () => {
    plain = joined(temporal.env, sandbox.env);
    secret = { ...joined(temporal.env, sandbox.env), RENDERLINE_CODEC_KEYS: key };
    shop = await placeOf('shop');
  });

  test('workers of both teams share the allowance, and neither team is held up', async () => {
    // The team that encrypts is first, and starts the workflow of the allowance.
    const vault = await placeOf('vault');
    const encrypting = await startWorkerInProcess(secret);
    theirs = (await runToEnd(vault, secret)).run;
    const worker = start(['worker'], plain);
    await worker.waitForOutput('share its rate limit');
    const { run } = await runToEnd(shop, plain);
    const shown = await answerOf<{ results: { platformIds: { modelId: string } }[] }>(
      ['show', run],
      plain,
    );
    ours = { run, model: shown.results[0]?.platformIds.modelId ?? '' };
    await said(['apply', vault.file], secret);
    await writeFile(join(vault.root, 'safe.yaml'), onEvents(vault.out));
    await said(['apply', join(vault.root, 'safe.yaml')], secret);
    await said(['apply', shop.file], plain);
    expect(worker.hasExited()).toBe(false);
    expect(worker.output()).not.toMatch(/cannot be shared|CODEC|not set here/);
    await worker.stop();
    await encrypting.stop();
    const { RENDERLINE_BASE_URL: address = '', RENDERLINE_API_KEY: apiKey = '' } = sandbox.env;
    expect(await keyOfInput(workflowIds.allowance(allowanceKeyOf(address, apiKey)))).toBeNull();
    expect(await keyOfInput(theirs)).toBe('2026a');
  });

  test("`runs` shows all of a team's own runs, and a line about unreadable runs", async () => {
    const { stdout, stderr } = await runInProcess(['runs'], plain);
    expect(stdout).toMatch(new RegExp(`^${ours.run} +complete .* s$`, 'm'));
    expect(stdout).toMatch(
      new RegExp(`^${theirs} +complete .*cannot be read here \\(CODEC_KEY_MISSING\\)$`, 'm'),
    );
    expect(stderr).toMatch(
      /1 run cannot be read here.*the key "2026a".*\n.*export RENDERLINE_CODEC_KEYS/,
    );
    const { runs } = await answerOf<{ runs: { run: string }[] }>(['runs'], plain);
    const of = (run: string) => runs.find((one) => one.run === run);
    expect(of(ours.run)).toMatchObject({ pipeline: 'shop', unreadable: null });
    expect(of(theirs)).toMatchObject({ pipeline: 'vault', state: 'complete', unreadable: hidden });
    expect(await said(['runs', '--pipeline', 'vault', '--paid'], plain)).toContain(theirs);
  });

  test('`find`, `doctor`, `schedules`, `apply` and `report --since` still work', async () => {
    expect(await said(['find', ours.model], plain)).toContain(ours.run);
    const worker = await startWorkerInProcess(plain);
    expect(await said(['doctor'], plain)).not.toMatch(/FAIL|CODEC/);
    await worker.stop();
    const { schedules } = await answerOf<{ schedules: object[] }>(['schedules'], plain);
    expect(schedules).toMatchObject([
      { schedule: 'shop/yearly', file: 'shop.yaml', unreadable: null },
      { schedule: 'vault/yearly', file: null, times: '0 3 1 1 *', unreadable: hidden },
    ]);
    expect(await said(['schedules'], plain)).toMatch(/^vault\/yearly .*cannot be read here/m);
    expect(await said(['schedules'], plain)).toMatch(/^safe  cannot be read here/m);
    const applied = await said(['apply', shop.root, '--dry-run', '--prune'], plain);
    expect(applied).toContain('= shop/yearly  unchanged');
    expect(applied).not.toContain('vault');
    const night = JSON.parse(
      await said(['report', '--since', '1h', '--format', 'json', '--output', '-'], plain),
    ) as { runs: object[]; unreadable: object[] };
    expect(night.runs).toMatchObject([{ run: ours.run, outcome: 'complete' }]);
    expect(night.unreadable).toMatchObject([{ run: theirs, unreadable: hidden }]);
    const page = join(shop.root, 'night.html');
    await said(['report', '--since', '1h', '--output', page], plain);
    expect(await readFile(page, 'utf8')).toContain('1 run cannot be read here');
  });

  test('commands on an unreadable run identify the missing key, and nothing is deleted', async () => {
    for (const args of [
      ['show', theirs],
      ['clean', shop.file, '--param', `folder=${shop.folder}`, '--param', `out=${shop.out}`],
    ]) {
      const { code, stdout } = await runInProcess([...args, '--json'], plain);
      expect([code, JSON.parse(stdout)]).toMatchObject([4, hidden]);
    }
  });
});

describe('encryption that is turned on in two steps', () => {
  test('encryption is turned on, and later off again, while runs continue', async () => {
    await sandbox.set('faults', [
      { render: '*boot*', do: { durationMs: 15_000 } },
      { render: '**', do: { durationMs: 60_000 } },
    ]);
    const before = joined(temporal.env, sandbox.env);
    const reads = { ...before, RENDERLINE_CODEC_KEYS: key, RENDERLINE_CODEC_WRITE: 'off' };
    const writes = { ...before, RENDERLINE_CODEC_KEYS: key };
    const startedIn = async (place: PipelineFolder, env: Env) =>
      (await answerOf<{ run: string }>(runArguments(place), env)).run;
    const complete = async (run: string, env: Env) =>
      expect(reportOf(await runInProcess(['show', run, '--wait', '--json'], env)).outcome).toBe(
        'complete',
      );

    // Before: no client has a key. A run begins unencrypted.
    const places = [await placeOf('boot'), await placeOf('clog'), await placeOf('mule')] as const;
    const old = start(['worker'], before);
    await old.waitForOutput('Task queue');
    const jobs = async () => (await sandbox.stats()).created.renderJobs;
    const made = await jobs();
    const [began, next] = [await startedIn(places[0], before), await startedIn(places[1], before)];
    await waitUntil('renders are under way', async () => (await jobs()) === made + 2);

    // Step 1: all clients get the key to read, worker by worker; everything is still written unencrypted.
    const reader = start(['worker'], reads);
    await reader.waitForOutput(/Payloads written unencrypted .*readable with 2026a/);
    expect(await said(['doctor'], reads)).toMatch(
      /payloads +written unencrypted.*readable with 2026a/,
    );
    await old.stop();
    await complete(began, before);

    // Step 2: writing is turned on, worker by worker. A run that began unencrypted ends encrypted.
    const writer = start(['worker'], writes);
    await writer.waitForOutput('Payloads encrypted with key 2026a');
    const mixed = await startedIn(places[2], writes);
    expect(await keyOfInput(mixed)).toBe('2026a');
    expect(reader.hasExited()).toBe(false);
    await reader.stop();
    await complete(next, reads);
    await complete(mixed, reads);
    expect(await keyOfInput(next)).toBeNull();
    for (const run of [next, mixed]) expect(await keysOfResult(run)).toContain('2026a');

    // A client without the key still lists what it can read.
    const forgotten = await said(['runs'], before);
    expect(forgotten).toMatch(new RegExp(`^${began} +complete .* s$`, 'm'));
    expect(forgotten).toMatch(new RegExp(`^${mixed} .*cannot be read here`, 'm'));

    // Back: all clients read and none encrypts; what was encrypted is still read.
    await sandbox.set('faults', []);
    const back = start(['worker'], reads);
    await back.waitForOutput('Task queue');
    await writer.stop();
    await writeModels(places[0].folder, ['late']);
    const last = await runToEnd(places[0], reads);
    expect(await keysOfResult(last.run)).not.toContain('2026a');
    await complete(mixed, reads);
    await back.stop();
  }, 240_000);
});

/** Ids of keys that a closed run's result is encrypted with. */
async function keysOfResult(run: string): Promise<(string | null)[]> {
  return withClient(temporal.env, async ({ client }) => {
    const { events } = await client.workflow.getHandle(run).fetchHistory();
    const result = events?.at(-1)?.workflowExecutionCompletedEventAttributes?.result;
    return (result?.payloads ?? []).map(findKeyId);
  });
}
