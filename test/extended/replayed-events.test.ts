// A repeated notification starts no second run, whether the receiver was restarted or is another one.
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { joined } from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { type Env, start, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const pipeline = (out: string) => `name: replayed
connectors:
  pictures: { type: local, path: ${out} }
nodes:
  - { id: processed, type: model_ready, config: { on: model.processed, gather: 1s, sweep: 1h } }
  - { id: shots, type: render, parentIds: [processed] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;

async function receive(env: Env) {
  const running = start(['webhooks', '--port', '0', '--json'], env);
  await running.waitForOutput('}');
  return { running, url: (JSON.parse(running.stdout()) as { url: string }).url };
}

test('a repeated notification starts no run, whether after a restart or at another receiver', async () => {
  const sandbox = await startSandbox([...fastSandbox, '--allow-private-urls']);
  const { secret } = (await sandbox.api('PUT', '/webhooks', {
    url: 'http://127.0.0.1:9/nobody',
  })) as { secret: string };
  const env = {
    ...joined(temporal.env, sandbox.env),
    RENDERLINE_WEBHOOK_SECRET: secret,
  };
  const folder = await tempFolder('replayed');
  await writeFile(join(folder, 'replayed.yaml'), pipeline(join(folder, 'out')));
  const worker = await startWorkerInProcess(env);
  expect(await runInProcess(['apply', folder], env)).toMatchObject({ code: 0 });

  const recorded = (modelId: string) =>
    JSON.stringify({
      event: 'model.processed',
      timestamp: new Date().toISOString(),
      data: { modelId, status: 'READY' },
    });
  const post = async (url: string, body: string) => {
    const headers = {
      'x-service-signature': createHmac('sha256', secret).update(body).digest('hex'),
    };
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };
  const runs = async () => {
    const { stdout } = await runInProcess(['runs', '--pipeline', 'replayed', '--json'], env);
    return (JSON.parse(stdout) as { runs: { state: string }[] }).runs;
  };
  const ended = (count: number) =>
    waitUntil(`${count} ended`, async () => {
      const all = await runs();
      return all.length >= count && all.every(({ state }) => state !== 'running');
    });

  // The model does not exist, so its run fails; a repeated start would be a new run.
  const first = recorded('not-there');
  let one = await receive(env);
  const two = await receive(env);
  expect(await post(one.url, first)).toBe(200);
  await ended(1);
  await one.running.stop('SIGKILL');
  one = await receive(env);
  expect([await post(one.url, first), await post(two.url, first)]).toEqual([200, 200]);
  expect(await post(two.url, recorded('another'))).toBe(200);
  await ended(2);
  expect(await runs()).toHaveLength(2);
  await worker.stop();
}, 240_000);
