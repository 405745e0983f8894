// Temporal behind mTLS and behind an API key, like Temporal Cloud, and the errors of wrong settings.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authority, type Certificate, canCertify } from '../system/_certificates.ts';
import { runInProcess, startWorkerInProcess } from '../system/_in-process.ts';
import { writeModels } from '../system/_models.ts';
import { createPipelineFolder, errorOf, joined, runToEnd } from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import { type Env, tempFolder, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { type SecureProxy, startSecureProxy } from './_secure-proxy.ts';

useProcesses();
const temporal = useTemporal();
const apiKey = 'canary-cloud-key';
const apiKeys = new Set([apiKey]);

let authority: Authority;
let stranger: Authority;
let mutual: SecureProxy;
let keyed: SecureProxy;
let client: Certificate;

const withCertificate = ({ cert, key }: Certificate): Env => ({
  TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
  TEMPORAL_TLS_CLIENT_KEY_PATH: key,
});
/** The environment of a client that connects through mTLS and knows the authority. */
const mtls = (more: Env): Env => ({
  ...temporal.env,
  TEMPORAL_ADDRESS: mutual.address,
  TEMPORAL_TLS: 'true',
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.own.cert,
  ...more,
});
const byKey = (key: string): Env => ({
  ...temporal.env,
  TEMPORAL_ADDRESS: keyed.address,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.own.cert,
  TEMPORAL_API_KEY: key,
});
const byKeyFile = (path: string): Env => {
  const { TEMPORAL_API_KEY: _key, ...env } = byKey('');
  return { ...env, TEMPORAL_API_KEY_FILE: path };
};

async function keyFile(key: string): Promise<string> {
  const path = join(await tempFolder('temporal-key'), 'key');
  await writeFile(path, `${key}\n`, { mode: 0o600 });
  return path;
}

describe.skipIf(!canCertify)('a Temporal server with authentication', () => {
  beforeAll(async () => {
    const folder = await tempFolder('certificates');
    authority = new Authority(folder, 'authority');
    stranger = new Authority(folder, 'stranger');
    client = authority.sign('worker');
    const { address } = temporal;
    const own = authority.sign('server');
    mutual = await startSecureProxy({ address, own, clients: authority.own.cert });
    keyed = await startSecureProxy({ address, own, apiKeys });
  });
  afterAll(async () => {
    await mutual.stop();
    await keyed.stop();
  });

  test.each<[string, () => Env]>([
    ['by certificate', () => mtls(withCertificate(client))],
    ['by API key', () => byKey(apiKey)],
  ])('a worker, a run and commands connect %s', async (how, connection) => {
    const sandbox = await startSandbox(fastSandbox);
    const env = joined(sandbox.env, connection());
    const worker = await startWorkerInProcess(env);
    const place = await createPipelineFolder('cloud');
    await writeModels(place.folder, ['chair']);
    const report = await runToEnd(place, env);
    expect(report).toMatchObject({ outcome: 'complete', assets: { complete: 1 } });
    expect((await runInProcess(['show', report.run], env)).code).toBe(0);
    if (how === 'by certificate') expect([...mutual.callers]).toContain('worker');
    const stopped = await worker.stop();
    expect(stopped.stderr + stopped.stdout).not.toContain(apiKey);
    await sandbox.stop();
  });

  test('a worker continues when the key in its key file is replaced', async () => {
    const sandbox = await startSandbox(fastSandbox);
    const path = await keyFile(apiKey);
    const env = joined(sandbox.env, byKeyFile(path));
    const worker = await startWorkerInProcess(env);
    const next = 'canary-cloud-key-next';
    apiKeys.add(next);
    await writeFile(path, next);
    await waitUntil('the worker comes with the new key', () => keyed.shown.has(next));
    // Open calls with the old key continue, since the server checks keys at the beginning of a call.
    apiKeys.delete(apiKey);
    const place = await createPipelineFolder('cloud');
    await writeModels(place.folder, ['chair']);
    const report = await runToEnd(place, env);
    expect(report).toMatchObject({ outcome: 'complete', assets: { complete: 1 } });
    const stopped = await worker.stop();
    expect(stopped.stderr + stopped.stdout).not.toContain('canary-cloud-key');
    apiKeys.add(apiKey);
    await sandbox.stop();
  });

  test('a wrong key in a file causes an error that identifies the file', async () => {
    const path = await keyFile('canary-wrong-key');
    const ended = await runInProcess(['runs', '--json'], byKeyFile(path));
    const error = errorOf(ended, 4);
    expect(error.fix).toContain(`TEMPORAL_API_KEY_FILE (${path})`);
    expect(ended.stderr + ended.stdout).not.toContain('canary-wrong-key');
  });

  test.each<[string, () => Env, number, string, RegExp, RegExp]>([
    [
      'a server certificate of an unknown authority',
      () => ({
        ...mtls(withCertificate(client)),
        TEMPORAL_TLS_SERVER_CA_CERT_PATH: stranger.own.cert,
      }),
      69,
      'CERTIFICATE_REFUSED',
      /the certificate of 127\.0\.0\.1:\d+ is not trusted/,
      /TEMPORAL_TLS_SERVER_CA_CERT_PATH=FILE/,
    ],
    [
      'a missing client certificate',
      () => mtls({}),
      4,
      'TEMPORAL_DENIED',
      /requires a client certificate, but no certificate is set/,
      /TEMPORAL_TLS_CLIENT_CERT_PATH=FILE/,
    ],
    [
      'a client certificate of another authority',
      () => mtls(withCertificate(stranger.sign('other'))),
      4,
      'TEMPORAL_DENIED',
      /refuses the client certificate \(CN=other\)/,
      /authority/,
    ],
    [
      'an expired client certificate',
      () => mtls(withCertificate(authority.sign('late', -1))),
      4,
      'TEMPORAL_DENIED',
      /refuses the client certificate \(CN=late\): it expired on \d{4}-\d\d-\d\d/,
      /TEMPORAL_TLS_CLIENT_CERT_PATH/,
    ],
    [
      'a key for another certificate',
      () => mtls(withCertificate({ ...client, key: authority.own.key })),
      2,
      'CONFIG',
      /the client key does not belong to the client certificate/,
      /TEMPORAL_TLS_CLIENT_KEY_PATH/,
    ],
    [
      'a connection without TLS',
      () => ({ TEMPORAL_ADDRESS: mutual.address }),
      69,
      'TEMPORAL_UNREACHABLE',
      /TLS is off here: set TEMPORAL_TLS=true/,
      /TEMPORAL_ADDRESS/,
    ],
    [
      'a wrong API key',
      () => byKey('wrong'),
      4,
      'TEMPORAL_DENIED',
      /Request unauthorized/,
      /TEMPORAL_API_KEY/,
    ],
    [
      'a missing file',
      () => mtls(withCertificate({ ...client, cert: join('none', 'x.pem') })),
      2,
      'CONFIG',
      /none\/x\.pem/,
      /TEMPORAL_/,
    ],
  ])('%s causes an error with a fix', async (_what, env, exit, code, message, fix) => {
    const error = errorOf(await runInProcess(['runs', '--json'], env()), exit);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.fix).toMatch(fix);
  });
});
