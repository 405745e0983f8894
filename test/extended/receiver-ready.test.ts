// A receiver that cannot accept notifications is not ready and reports why: here it lacks the key that encrypts the
// event triggers. Unsigned and forged requests change nothing.
import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { joined } from '../system/_runs.ts';
import { type SandboxInUse, startSandbox } from '../system/_sandbox.ts';
import {
  type Env,
  type RunningProcess,
  start,
  tempFolder,
  useProcesses,
  waitUntil,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const pipeline = `name: pictures
records: out
connectors:
  out: { type: local, path: out }
nodes:
  - { id: ready, type: model_ready, config: { on: model.processed } }
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }
  - { id: shots, type: render, parentIds: [look] }
`;

let sandbox: SandboxInUse;
let secret: string;
let env: Env;
let folder: string;

beforeAll(async () => {
  sandbox = await startSandbox(['--allow-private-urls']);
  const set = await sandbox.api('PUT', '/webhooks', { url: 'http://127.0.0.1:9/nobody' });
  ({ secret } = set as { secret: string });
  env = joined(temporal.env, sandbox.env);
  folder = await tempFolder('receiver');
  await writeFile(join(folder, 'pictures.yaml'), pipeline);
  const applied = await runInProcess(['apply', folder], keyed(`2026a:${keyOf(1)}`));
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
});

const keyed = (keys: string): Env => ({ ...env, RENDERLINE_CODEC_KEYS: keys });

class Receiver {
  readonly process: RunningProcess;
  url = '';
  healthUrl = '';
  ready = '';

  constructor(given: Env) {
    const flags = ['--port', '0', '--health-port', '0', '--json'];
    this.process = start(['webhooks', ...flags], { ...given, RENDERLINE_WEBHOOK_SECRET: secret });
  }

  async started(): Promise<this> {
    await this.process.waitForOutput('"pipelines"');
    const { url, healthUrl, healthPort } = JSON.parse(this.process.stdout()) as Record<
      string,
      string
    >;
    this.url = url ?? '';
    this.healthUrl = healthUrl ?? '';
    this.ready = `http://127.0.0.1:${healthPort}/readyz`;
    return this;
  }

  async readyz(): Promise<[status: number, text: string]> {
    const answer = await fetch(this.ready);
    return [answer.status, await answer.text()];
  }

  async post(model: string, signedWith = secret): Promise<number> {
    const timestamp = new Date().toISOString();
    const body = JSON.stringify({ event: 'model.processed', timestamp, data: { modelId: model } });
    const signature = createHmac('sha256', signedWith).update(body).digest('hex');
    const headers = { 'x-service-signature': signature };
    return (await fetch(this.url, { method: 'POST', body, headers })).status;
  }

  async health(): Promise<{ status: string; fault: unknown }> {
    return (await (await fetch(this.healthUrl)).json()) as { status: string; fault: unknown };
  }

  /** The lines that report the fault and its end. */
  lines(): string[] {
    return this.process
      .output()
      .split('\n')
      .filter((line) => /that start runs (?:are|get)/.test(line));
  }
}

describe.each([
  ['a receiver without the key', '', 'CODEC_KEY_MISSING', 'which is not set here'],
  [
    'a receiver with another key under the same id',
    `2026a:${keyOf(7)}`,
    'CODEC_KEY_WRONG',
    'cannot be decrypted',
  ],
])('%s', (_, keys, code, reason) => {
  test('the receiver is not ready, reports the key in one line, and becomes ready once it has the key', async () => {
    const file = join(folder, `${code}.keys`);
    await writeFile(file, keys === '' ? `other:${keyOf(9)}` : keys);
    const receiver = await new Receiver({ ...env, RENDERLINE_CODEC_KEYS_FILE: file }).started();
    const [status, text] = await receiver.readyz();
    expect([status, text]).toEqual([503, expect.stringContaining(reason)]);
    expect(text).toContain('"2026a"');
    for (const model of ['m1', 'm2', 'm3']) expect(await receiver.post(model)).toBe(503);
    expect(receiver.lines()).toEqual([expect.stringContaining('RENDERLINE_CODEC_KEYS')]);
    expect(receiver.lines()[0]).toContain(code);
    expect(receiver.process.output()).not.toContain('until Temporal answers');
    expect(await receiver.health()).toMatchObject({ status: 'failing', fault: { code } });

    await writeFile(file, `2026a:${keyOf(1)}`);
    await waitUntil('the receiver is ready', async () => (await receiver.readyz())[0] === 200);
    expect(await receiver.post('m4')).toBe(200);
    expect(receiver.lines()).toHaveLength(2);
    expect(receiver.lines()[1]).toContain('accepted again');
    expect(await receiver.health()).toMatchObject({ status: 'ok', fault: null });
    await receiver.process.stop();
  });
});

test('a receiver ignores pipelines in another task queue whose key it does not have', async () => {
  const given = { ...env, RENDERLINE_TASK_QUEUE: 'other' };
  const receiver = await new Receiver(given).started();
  expect(await receiver.readyz()).toEqual([200, 'ok\n']);
  expect(await receiver.post('m5')).toBe(200);
  await receiver.process.stop();
});

test('forged and malformed requests do not affect the readiness of a receiver', async () => {
  const receiver = await new Receiver(keyed(`2026a:${keyOf(1)}`)).started();
  for (let times = 0; times < 30; times += 1) {
    expect(await receiver.post(`m${times}`, 'not the secret')).toBe(401);
  }
  await fetch(receiver.url, { method: 'POST', body: 'garbage' });
  expect(await receiver.readyz()).toEqual([200, 'ok\n']);
  await receiver.process.stop();
});
