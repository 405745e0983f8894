// `notify:` on a real server: receivers outside are told how runs end, and no run waits for one.
import { createHmac } from 'node:crypto';
import { appendFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type NoticeResult, workflowIds } from '../../src/plan/contract.ts';
import { names, writeModels } from './_models.ts';
import { joined, makePlace, type Place, reportOf, startRun } from './_runs.ts';
import {
  type Env,
  type Running,
  type SandboxInUse,
  startSandboxProcess,
  startWorkerProcess,
  until,
  useProcesses,
} from './_stack.ts';
import { useDevServer } from './_temporal.ts';

const temporal = useDevServer();
useProcesses();

const secret = 'canary-4711-shared-words';

let server: Server;
/** Statuses of the next answers; 200 when there are none left. */
let statuses: number[] = [];
let got: { body: string; id: string; timestamp: string; signature: string }[] = [];
let sandbox: SandboxInUse;
let worker: Running;
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
  sandbox = await startSandboxProcess(['--speed', '20', '--picture-scale', '0']);
  env = joined(temporal.env, sandbox.env);
  worker = await startWorkerProcess({ ...env, NOTICE_SECRET: secret });
  connection = await Connection.connect({ address: temporal.server.address });
});
afterAll(async () => {
  await connection.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function placeTelling(
  name: string,
  on: string,
  secretFrom = 'NOTICE_SECRET',
): Promise<Place> {
  got = [];
  statuses = [];
  const place = await makePlace(name);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ended`;
  await appendFile(
    place.file,
    `notify: [{ url: "${url}", secretFrom: ${secretFrom}, on: [${on}] }]\n`,
  );
  await writeModels(place.folder, names(name, 1));
  return place;
}

const toldIn = (run: string): Promise<NoticeResult> =>
  new Client({ connection }).workflow.getHandle(workflowIds.notice(run, 0)).result();

describe('a receiver', () => {
  test('is told once, signed, also when it was away at first; the run did not wait', async () => {
    const place = await placeTelling('told', 'complete');
    statuses = [503, 500];
    const report = reportOf(await startRun(place, env).finished);
    expect(await toldIn(report.run)).toEqual({ status: 200, attempts: 3 });
    const [last] = got.slice(-1);
    expect(JSON.parse(last?.body ?? '')).toMatchObject({
      type: 'run.ended',
      data: { run: report.run, outcome: 'complete', assets: { complete: 1 } },
    });
    expect(new Set(got.map(({ id }) => id)).size).toBe(1);
    const signed = `${last?.id}.${last?.timestamp}.${last?.body}`;
    const signature = createHmac('sha256', secret).update(signed).digest('base64');
    expect(last?.signature).toBe(`v1,${signature}`);
  });

  test('is told of a run that failed, with what failed in it', async () => {
    const place = await placeTelling('failed', 'failed');
    await sandbox.set('faults', [{ model: '**', do: { failure: 'no meshes' } }]);
    expect((await startRun(place, env).finished).code).toBe(1);
    await sandbox.set('faults', []);
    await until('the receiver is told', () => got.length > 0);
    expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({
      data: { outcome: 'failed', cause: null, failures: [{ code: 'MODEL_FAILED' }] },
    });
  });

  test('is not told of other outcomes', async () => {
    const place = await placeTelling('other', 'failed, cancelled');
    const { run } = reportOf(await startRun(place, env).finished);
    await expect(toldIn(run)).rejects.toThrow(/not found/i);
    expect(got).toEqual([]);
  });

  test('whose secret the worker does not have is told by one that has it', async () => {
    const place = await placeTelling('later', 'complete', 'LATER_SECRET');
    const { run } = reportOf(await startRun(place, env).finished);
    await worker.stop();
    const next = await startWorkerProcess({ ...env, LATER_SECRET: secret });
    expect(await toldIn(run)).toMatchObject({ status: 200 });
    expect(worker.output() + next.output()).not.toContain('canary');
    const history = await new Client({ connection }).workflow
      .getHandle(workflowIds.notice(run, 0))
      .fetchHistory();
    expect(JSON.stringify(history)).not.toContain('canary');
    worker = next;
  });
});
