// A platform that lists thousands of outputs for each render: the run that gets them delays no other run of the worker.
import { readdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectPictures,
  joined,
  type PipelineFolder,
  runIdOf,
  runToEnd,
  startRun,
} from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { type Env, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

/** A sandbox whose renders have `outputs` outputs each, until it `isHonest`, and a worker. */
async function lyingPlatform(outputs: number): Promise<Env> {
  const sandbox = await startSandbox(fastSandbox);
  const pass = async (incoming: IncomingMessage, out: ServerResponse) => {
    const { host: _host, ...headers } = incoming.headers;
    const { method = 'GET', url = '/' } = incoming;
    const sent = await buffer(incoming);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const onward = request(new URL(url, sandbox.origin), { method, headers }, resolve);
      onward.on('error', reject).end(sent);
    });
    const whole = await buffer(answer);
    const isJob = method === 'GET' && /^\/api\/v1\/renders\/[^/?]+$/.test(url);
    const { 'content-length': _length, ...others } = answer.headers;
    out.writeHead(answer.statusCode ?? 502, others);
    out.end(isJob && answer.statusCode === 200 ? multiplied(whole, outputs) : whole);
  };
  const server = createServer((incoming, out) => {
    pass(incoming, out).catch(() => out.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const baseUrl = { RENDERLINE_BASE_URL: `http://127.0.0.1:${port}/api/v1` };
  const env = joined(temporal.env, sandbox.env, baseUrl);
  await startWorkerInProcess(env);
  return env;
}

function multiplied(bytes: Buffer, outputs: number): string {
  const job = JSON.parse(bytes.toString()) as { name?: string; renders?: { id: string }[] };
  const [one] = job.renders ?? [];
  if (one === undefined || isHonest) return bytes.toString();
  const renders = Array.from({ length: outputs }, (_, at) => ({
    ...one,
    id: `${one.id}-${at}`,
    name: `n${at}`,
  }));
  return JSON.stringify({ ...job, renders });
}

let isHonest = false;

async function placeOf(name: string): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  await writeModels(place.folder, names(name, 3));
  return place;
}

const filesIn = ({ out }: PipelineFolder) =>
  readdir(out, { recursive: true }).then(
    (paths) => paths.filter((path) => path.endsWith('.png')).length,
    () => 0,
  );

test('a run with thousands of outputs continues alongside another run, which ends long before it', async () => {
  isHonest = false;
  const env = await lyingPlatform(2_000);
  const many = await placeOf('liar');
  const lying = startRun(many, env);
  const run = await runIdOf(lying);
  await waitUntil('pictures come', async () => (await filesIn(many)) > 0, 240_000);
  isHonest = true;
  const few = await placeOf('honest');
  const report = await runToEnd(few, env);
  await expectPictures(report, names('honest', 3));
  expect(lying.hasExited()).toBe(false);
  expect(await filesIn(many)).toBeLessThan(3 * 2_000);
  await runInProcess(['cancel', run], env);
  await lying.finished;
});

test("10,000 outputs from one render fail their assets, and the worker's next run completes", async () => {
  isHonest = false;
  const env = await lyingPlatform(10_000);
  const failed = await runToEnd(await placeOf('liar'), env, 1);
  expect(failed.failures.map(({ code }) => code)).toEqual(
    names('liar', 3).map(() => 'TOO_MANY_OUTPUTS'),
  );
  isHonest = true;
  const report = await runToEnd(await placeOf('honest'), env);
  await expectPictures(report, names('honest', 3));
});
