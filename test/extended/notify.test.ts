// Notices on a real server: receivers are notified how runs end, and no run waits for one; nodes notify them about
// assets.
import { createHmac } from 'node:crypto';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { workflowIds } from '../../src/plan/contract/contract.ts';
import type { NoticeResult, SentNotice } from '../../src/plan/contract/notice-contract.ts';
import { parseLink } from '../../src/settings/secrets/decision-link.ts';
import {
  type InProcessCommand,
  runInProcess,
  startWorkerInProcess,
} from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  errorOf,
  joined,
  type PipelineFolder,
  reportOf,
  startRun,
} from '../system/_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import { type Env, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const secret = 'canary-4711-shared-words';
const uiAddress = 'https://temporal.example';
const linkKey = 'canary-4712-key-of-links-in-this-test';

let server: Server;
/** Statuses of the next responses; the status is 200 when none are left. */
let statuses: number[] = [];
let got: { body: string; id: string; timestamp: string; signature: string }[] = [];
let sandbox: SandboxInUse;
let worker: InProcessCommand;
let env: Env;
let connection: Connection;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const header = (name: string) => String(request.headers[name]);
      got.push({
        body,
        id: header('webhook-id'),
        timestamp: header('webhook-timestamp'),
        signature: header('webhook-signature'),
      });
      response.writeHead(statuses.shift() ?? 200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  sandbox = await startSandbox(fastSandbox);
  env = {
    ...joined(temporal.env, sandbox.env),
    RENDERLINE_NOTICE_PAUSE_MS: '250',
    RENDERLINE_TEMPORAL_UI: uiAddress,
    RENDERLINE_LINK_KEY: linkKey,
    RENDERLINE_CONFIG: join(await tempFolder('notify-team'), 'team.yaml'),
  };
  await writeFile(env['RENDERLINE_CONFIG'] ?? '', 'ui: { origin: "https://renderline.example" }\n');
  worker = await startWorkerInProcess({ ...env, RENDERLINE_SECRET_NOTICE: secret });
  connection = await Connection.connect({ address: temporal.address });
});
afterAll(async () => {
  await connection.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function placeTelling(
  name: string,
  on: string,
  secretFrom = 'RENDERLINE_SECRET_NOTICE',
): Promise<PipelineFolder> {
  const place = await placeOf(name, 1);
  await appendFile(
    place.file,
    `notify: [{ url: "${urlOf('ended')}", secretFrom: ${secretFrom}, on: [${on}] }]\n`,
  );
  return place;
}

async function placeOf(name: string, models: number): Promise<PipelineFolder> {
  got = [];
  statuses = [];
  const place = await createPipelineFolder(name);
  await writeModels(place.folder, names(name, models));
  return place;
}

const urlOf = (path: string) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;

const workflowOf = (id: string) =>
  new Client({ connection, namespace: temporal.namespace }).workflow.getHandle(id);
const toldIn = (id: string): Promise<NoticeResult> =>
  workflowOf(workflowIds.notice(id, 0)).result();
const historyOf = async (id: string) => JSON.stringify(await workflowOf(id).fetchHistory());

const signatureOf = ({ id, timestamp, body }: (typeof got)[number]) =>
  `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`;

describe('a receiver of a node', () => {
  test("a node's receiver gets signed notices with the same id until it accepts one, and `show` prints the result", async () => {
    const place = await placeOf('node', 2);
    const tell = { url: urlOf('told'), secretFrom: 'RENDERLINE_SECRET_NOTICE' };
    const nodes = `  - { id: tell, type: notify, parentIds: [deliver], config: ${JSON.stringify(tell)} }\n`;
    await appendFile(place.file, nodes);
    statuses = [500];
    const { run: id, files } = reportOf(await startRun(place, env).finished);
    expect(got).toHaveLength(2);
    expect(new Set(got.map((one) => one.id)).size).toBe(1);
    const [first, last] = got;
    expect(first?.body).toBe(last?.body);
    expect(last?.signature).toBe(last && signatureOf(last));
    const { data } = JSON.parse(last?.body ?? '') as { data: { assets: { key: string }[] } };
    expect(data).toMatchObject({ schema: 'renderline/asset-notice/v1', run: id, node: 'tell' });
    expect(data.assets).toMatchObject(
      files.map(({ key: _key, ...file }) => ({ files: [file], outputsTotal: 1 })),
    );
    const shown = await runInProcess(['show', id, '--json'], env);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      notices: [
        { id: last?.id, node: 'tell', status: 200, attempts: 2, delivered: true, assets: 2 },
      ],
    });
    expect(await historyOf(workflowIds.shard(id, 0))).not.toContain(secret);
  });
});

describe('a receiver', () => {
  test('a receiver is notified once, with a signature, even if it fails at first, and the run does not wait', async () => {
    const place = await placeTelling('told', 'complete');
    statuses = [503];
    const report = reportOf(await startRun(place, env).finished);
    expect(await toldIn(report.run)).toEqual({ status: 200, attempts: 2 });
    const [last] = got.slice(-1);
    expect(JSON.parse(last?.body ?? '')).toMatchObject({
      type: 'run.ended',
      data: {
        run: report.run,
        outcome: 'complete',
        assets: { complete: 1 },
        paid: { renders: 1, models: 1, captures: 0 },
        report: null,
        temporalUi: `${uiAddress}/namespaces/${temporal.namespace}/workflows/${report.run}`,
      },
    });
    expect(new Set(got.map(({ id }) => id)).size).toBe(1);
    expect(last?.signature).toBe(last && signatureOf(last));
  });

  test('a receiver is notified about a failed run and its failures', async () => {
    const place = await placeTelling('failed', 'failed');
    await sandbox.set('faults', [{ model: '**', do: { failure: 'no meshes' } }]);
    expect((await startRun(place, env).finished).code).toBe(1);
    await sandbox.set('faults', []);
    await waitUntil('the receiver is told', () => got.length > 0);
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({
      data: { outcome: 'failed', cause: null, failures: [{ code: 'MODEL_FAILED' }] },
    });
  });

  test('a receiver is notified that a run is waiting, with a link for one person that no history contains', async () => {
    const place = await placeTelling('asks', 'waiting');
    const text = await readFile(place.file, 'utf8');
    const link = '{ for: "Berta Lang", within: 2d }';
    const canary = 'canary: { assets: 1 }\n';
    await writeFile(
      place.file,
      `${canary}${text.replace('on: [waiting]', `on: [waiting], link: ${link}`)}`,
    );
    await writeModels(place.folder, names('asks', 2));
    const { run = '' } = errorOf(await startRun(place, env).finished, 7);
    await waitUntil('the receiver is told', () => got.length > 0);
    const { data } = JSON.parse(got[0]?.body ?? '') as { data: SentNotice };
    const token =
      /^https:\/\/renderline\.example\/decide\/(.+)\/$/.exec(data.decide?.url ?? '')?.[1] ?? '';
    const untilMs = Date.parse(data.decide?.until ?? '');
    expect(parseLink(token, linkKey)).toMatchObject({ run, person: 'Berta Lang', untilMs });
    const notice = `${run}/approval-1`;
    expect(await workflowOf(notice).result()).toMatchObject({ status: 200 });
    for (const id of [run, notice]) expect(await historyOf(id)).not.toContain(token);
    await runInProcess(['cancel', run, '--yes'], env);
  });

  test("a receiver gets the path of the run's report", async () => {
    const place = await placeTelling('reported', 'complete');
    await appendFile(place.file, 'report: reports\n');
    const { run: id } = reportOf(await startRun(place, env).finished);
    await waitUntil('the receiver is told', () => got.length > 0);
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({
      data: { report: `${place.out}/reports/${id}.html` },
    });
  });

  test('a receiver is not notified about other outcomes', async () => {
    const place = await placeTelling('other', 'failed, cancelled');
    const { run: id } = reportOf(await startRun(place, env).finished);
    await expect(toldIn(id)).rejects.toThrow(/not found/i);
    expect(got).toEqual([]);
  });

  test('a receiver whose secret one worker lacks is notified by a worker that has it', async () => {
    const place = await placeTelling('later', 'complete', 'RENDERLINE_SECRET_LATER');
    const report = reportOf(await startRun(place, env).finished);
    const { run: id } = report;
    expect(report.warnings).toEqual([
      {
        key: 'notify',
        message: expect.stringContaining('a worker has no RENDERLINE_SECRET_LATER'),
      },
    ]);
    await worker.stop();
    const next = await startWorkerInProcess({ ...env, RENDERLINE_SECRET_LATER: secret });
    expect(await toldIn(id)).toMatchObject({ status: 200 });
    expect(worker.output() + next.output()).not.toContain(secret);
    expect(await historyOf(workflowIds.notice(id, 0))).not.toContain(secret);
    worker = next;
  });
});
