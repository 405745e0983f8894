// The API key, the secret of a receiver and the query of a signed link occur only in the requests that need them.
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DurableTemporal, startDurableTemporal } from './_durable-temporal.ts';
import { allHistories, everythingIn } from './_histories.ts';
import { filesBelow, names, smallModel, writeModels } from './_models.ts';
import {
  createPipelineFolder,
  joined,
  type PipelineFolder,
  reportOf,
  runArguments,
} from './_runs.ts';
import { fastSandbox, type SandboxInUse, startSandbox } from './_sandbox.ts';
import {
  type CommandResult,
  type Env,
  run,
  start,
  startWorkerProcess,
  tempFolder,
  useProcesses,
  waitWhileRunning,
} from './_stack.ts';

useProcesses();

const canary = 'svc_canary_0123456789abcdefCANARY';
/** The secret with which a worker signs notices. */
const receiverSecret = 'whsec_Q0FOQVJZLW9mLXRoZS1yZWNlaXZlcg==';
/** The keys, plain and encoded, and the query of a signed link. */
const forbidden = [
  canary,
  'CANARY',
  Buffer.from(canary).toString('base64').slice(0, 40),
  receiverSecret.slice(6, 30),
  'signature=',
];

let temporal: DurableTemporal;
let sandbox: SandboxInUse;
let env: Env;
let place: PipelineFolder;
let outputs: Record<string, string>;
let data: string;
/** Bodies of the notices that the receiver got. */
const notices: string[] = [];
const receiver = createServer((request, response) => {
  void textOf(request).then((body) => {
    notices.push(body);
    response.end();
  });
});

function said({ stdout, stderr }: CommandResult): string {
  return stdout + stderr;
}

/** An error text of a careless platform: with secrets, an escape sequence and too many characters. */
function told(what: string): string {
  const link = 'https://store.example/f?X-Amz-Credential=CANARY&X-Amz-Signature=CANARY';
  return `${what} failed with key ${canary} at ${link} \u001b]0;CANARY\u0007 ${'x'.repeat(100_000)}`;
}

/** A run with everything that prints, logs or stores something: failures, broken connections, a refused key. */
beforeAll(async () => {
  temporal = await startDurableTemporal();
  data = await tempFolder('sandbox-data');
  const flags = [...fastSandbox, '--api-key', canary, '--data', data];
  sandbox = await startSandbox(flags);
  expect(sandbox.env['RENDERLINE_API_KEY']).toBe(canary);
  env = { ...joined(temporal.env, sandbox.env), RENDERLINE_LOG: 'debug' };
  const worker = await startWorkerProcess({ ...env, RENDERLINE_SECRET_RECEIVER: receiverSecret });
  place = await createPipelineFolder('secrets', { maxRetries: 0 });
  const config =
    '{ url: "http://127.0.0.1:9/in", secretFrom: RENDERLINE_SECRET_RECEIVER, onFailure: ignore }';
  const tell = `{ id: tell, type: notify, parentIds: [deliver], timeout: 1s, config: ${config} }`;
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const ended = `{ url: "http://127.0.0.1:${port}/in", secretFrom: RENDERLINE_SECRET_RECEIVER }`;
  await appendFile(place.file, `  - ${tell}\nnotify: [${ended}]\n`);
  await writeModels(place.folder, names('secret', 4));
  await writeFile(join(place.folder, 'broken.glb'), smallModel('broken').subarray(0, 200));
  await sandbox.set('faults', [
    { match: 'createJob', nth: 1, do: { reset: 'after' } },
    { match: 'createRenders', nth: 1, do: { status: 503 } },
    { match: 'createProjects', nth: 1, do: { body: '<html>', contentType: 'text/html' } },
    { render: '*secret-02*', do: { failure: told('the render') } },
    { model: '*secret-03*', do: { refuse: told('the model') } },
  ]);
  const first = await run(runArguments(place, '--wait', '--json'), env);
  const report = reportOf(first, 3);
  expect(report.warnings).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(/^tell: .*connection refused/) }),
  );
  await writeModels(place.folder, ['secret-late']);
  await sandbox.set('faults', [{ match: 'createRenders', do: { delayMs: 1_500, before: true } }]);
  const { requests } = await sandbox.stats();
  const running = start(runArguments(place, '--wait'), env);
  await waitWhileRunning(running, 'renders are asked for', async () => {
    const now = (await sandbox.stats()).requests;
    return (now['createRenders'] ?? 0) > (requests['createRenders'] ?? 0);
  });
  await sandbox.set('access', { deny: 'INVALID_API_KEY' });
  const paused = await running.finished;
  expect(paused.code).toBe(4);
  await sandbox.set('access', { deny: null });
  const parameters = ['--param', `folder=${place.folder}`, '--param', `out=${place.out}`];
  const others: [string, string[]][] = [
    ['find', ['find', canary]],
    ['find of nothing', ['find', 'nothing', place.file, ...parameters]],
    ['explain', ['explain', 'secret-02', place.file, ...parameters]],
    ['show', ['show', report.run]],
    ['runs', ['runs']],
    ['doctor', ['doctor']],
    ['plan', ['plan', place.file, ...parameters]],
    ['api', ['api', 'listModels']],
  ];
  outputs = { run: said(first), paused: said(paused) };
  for (const [name, args] of others) outputs[name] = said(await run(args, env));
  outputs['worker'] = said(await worker.stop());
});

afterAll(async () => {
  receiver.close();
  await temporal.close();
});

function expectClean(what: string, text: string): void {
  for (const secret of forbidden) expect(text.includes(secret), `${secret} in ${what}`).toBe(false);
}

describe('secrets', () => {
  test('the output of commands and of the worker contains no key and no signed link', () => {
    expect(Object.keys(outputs).length).toBeGreaterThan(6);
    for (const [name, text] of Object.entries(outputs)) {
      expect(text.length, name).toBeGreaterThan(10);
      expectClean(`output of ${name}`, text);
    }
  });

  test('the histories of all workflows contain no key and no signed link', async () => {
    const histories = await allHistories(env);
    expect(histories.length).toBeGreaterThanOrEqual(4);
    for (const { workflowId, events } of histories) {
      expect(events.length).toBeGreaterThan(3);
      expectClean(`history of ${workflowId}`, everythingIn(events));
    }
  });

  test('notices contain no key, no signed link and no escape sequences, and their text is shortened', () => {
    const failed = notices.filter((body) => body.includes('failed with key'));
    expect(failed.length).toBeGreaterThan(0);
    for (const body of notices) {
      expectClean('a notice', body);
      expect(body.length).toBeLessThan(10_000);
      expect(body).not.toMatch(/\\u00(?:0[0-9a-f]|1[0-9a-f]|7f)/);
    }
  });

  test('records, manifests, intents and pictures contain no key and no signed link', async () => {
    let files = 0;
    for await (const { path, bytes } of filesBelow(place.out)) {
      files += 1;
      expectClean(path, bytes.toString('latin1'));
    }
    expect(files).toBeGreaterThan(10);
  });

  test('the database file of the Temporal server contains no key and no signed link', async () => {
    for (const suffix of ['', '-wal']) {
      const bytes = await readFile(temporal.dbFilename + suffix).catch(() => Buffer.alloc(0));
      if (suffix === '') expect(bytes.length).toBeGreaterThan(10_000);
      expectClean(`temporal.db${suffix}`, bytes.toString('latin1'));
    }
  });

  test('requests to storage contain no key, and the sandbox prints its key only once', async () => {
    expect((await sandbox.stats()).keySentToStorage).toBe(0);
    const { stdout, stderr } = await sandbox.stop();
    expect(stdout.split(canary)).toHaveLength(2);
    expectClean('stderr of the sandbox', stderr);
  });
});
