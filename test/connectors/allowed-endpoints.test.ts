// Tests where credentials are sent: a file names an address, but only the operator decides who receives the worker's
// keys. The attack is an untrusted file with its own server, which records what it receives.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ConnectorType, defineConnector } from '../../src/connectors/connector-type.ts';
import { addConnectorTypes, connectorTypes, openConnector } from '../../src/connectors/index.ts';
import { endpointField, endpointOf, readSecretField } from '../../src/connectors/spec-fields.ts';
import { secretName } from '../../src/settings/file-fields.ts';
import { compile, withNodes } from '../compile/_compile.ts';

const canary = 'c4n4ry-4711';
const env = { RENDERLINE_SECRET_X: canary };

/** A connector type of a plugin that does not know this rule. */
const plugin = defineConnector({
  type: 'stranger_folder',
  summary: 'A folder.',
  docs: 'A folder.',
  example: 'a: { type: stranger_folder, endpoint: "https://a.example" }',
  config: z.strictObject({
    endpoint: endpointField('The server.'),
    tokenFrom: secretName('The token.').optional(),
  }),
  open(spec, environment) {
    endpointOf(spec, environment);
    readSecretField(spec, 'tokenFrom', environment);
    throw new Error('it was opened');
  },
});
addConnectorTypes([plugin as unknown as ConnectorType]);
// Other tests of this process use the built-in types.
afterAll(() => void (connectorTypes as ConnectorType[]).pop());

let port = 0;
let server: Server;
let heard = '';
beforeAll(async () => {
  server = createServer((socket) => {
    heard += 'a connection ';
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n');
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => server.close());
beforeEach(() => {
  heard = '';
});

const aws = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: canary,
  AWS_REGION: 'eu-central-1',
};
const before = Object.keys(aws).map((name) => [name, process.env[name]] as const);
beforeAll(() => void Object.assign(process.env, aws));
afterAll(() => {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

describe('a server that appears only in the file', () => {
  it.each([
    ['s3', (at: string) => ({ endpoint: `http://${at}`, bucket: 'media', pathStyle: true })],
    [
      'gcs',
      (at: string) => ({
        endpoint: `http://${at}`,
        bucket: 'media',
        keyFileFrom: 'RENDERLINE_SECRET_X',
      }),
    ],
    [
      'sftp',
      (at: string) => ({
        host: '127.0.0.1',
        port: Number(at.split(':')[1]),
        user: 'u',
        path: '/',
        passwordFrom: 'RENDERLINE_SECRET_X',
      }),
    ],
    [
      'stranger_folder',
      (at: string) => ({ endpoint: `http://${at}`, tokenFrom: 'RENDERLINE_SECRET_X' }),
    ],
  ])(
    'a server that appears only in the file gets no request from %s, and the error names the setting that allows it',
    async (type, fields) => {
      const reading = async () =>
        openConnector({ type, ...fields(`127.0.0.1:${port}`) }, env).stat('a.glb');
      const failure: unknown = await reading().catch((error: unknown) => error);
      expect(failure).toMatchObject({
        code: 'ENDPOINT_NOT_ALLOWED',
        fix: expect.stringMatching(/RENDERLINE_ALLOW_HOSTS=(?:http|sftp):\/\/127\.0\.0\.1:\d+ /),
      });
      expect(heard).toBe('');
    },
  );

  it('a server that appears only in the file gets no SFTP password, even if the file contains its host key', async () => {
    const keys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
    const passwords: string[] = [];
    const thief = new ssh2.Server({ hostKeys: [keys.private] }, (client) => {
      client.on('error', () => undefined);
      client.on('authentication', (attempt) => {
        if (attempt.method === 'password') passwords.push(attempt.password);
        attempt.reject(['password']);
      });
    }).listen(0, '127.0.0.1');
    try {
      await once(thief, 'listening');
      const { port: own } = thief.address() as { port: number };
      const print = createHash('sha256').update(
        Buffer.from(keys.public.split(' ')[1] ?? '', 'base64'),
      );
      const hostKey = `SHA256:${print.digest('base64').slice(0, 43)}`;
      const spec = {
        type: 'sftp',
        host: '127.0.0.1',
        port: own,
        user: 'u',
        path: '/',
        hostKey,
        passwordFrom: 'RENDERLINE_SECRET_X',
      };
      const reading = async (more: object) =>
        openConnector(spec, { ...env, ...more }).stat('a.glb');
      await expect(reading({})).rejects.toMatchObject({ code: 'ENDPOINT_NOT_ALLOWED' });
      expect(passwords).toEqual([]);
      // The server does receive the password if the operator allows the address.
      await reading({ RENDERLINE_ALLOW_HOSTS: `sftp://127.0.0.1:${own}` }).catch(() => undefined);
      expect(passwords).toEqual([canary]);
    } finally {
      thief.close();
    }
  });
});

const address = 'https://store.example:9000';
const files = {
  s3: `type: s3, bucket: acme, endpoint: "${address}"`,
  gcs: `type: gcs, bucket: acme, endpoint: "${address}", keyFileFrom: RENDERLINE_SECRET_X`,
  sftp: 'type: sftp, host: store.example, port: 9000, user: u, path: /, privateKeyFrom: RENDERLINE_SECRET_X',
  plugin: `type: stranger_folder, endpoint: "${address}", tokenFrom: RENDERLINE_SECRET_X`,
};
const fileOf = (connector: string) => withNodes().replace('type: local, path: models', connector);
const errorsOf = (
  text: string,
  environment: Record<string, string> = {},
  given: object | null = null,
) =>
  compile(text, given as Record<string, unknown> | null, environment).problems.filter(
    ({ severity }) => severity === 'error',
  );

describe('a checked file', () => {
  it.each(Object.entries(files))(
    'a checked file with the address of %s is reported, together with the setting that allows the address',
    (_name, connector) => {
      const [error, ...others] = errorsOf(fileOf(connector));
      expect(others).toEqual([]);
      expect(error).toMatchObject({ code: 'RL317', line: 3 });
      expect(error?.message).toContain('store.example:9000');
      expect(error?.hint).toMatch(/RENDERLINE_ALLOW_HOSTS=(?:https|sftp):\/\/store\.example:9000 /);
    },
  );

  it.each([
    ['its host', 'store.example'],
    ['its host among others', 'a.example, STORE.example ,b.example'],
    ['its host with the port', 'store.example:9000'],
    ['its address', 'https://store.example:9000/,sftp://store.example:9000'],
  ])('a checked file is accepted if the operator allows %s', (_what, list) => {
    for (const connector of Object.values(files)) {
      expect(errorsOf(fileOf(connector), { RENDERLINE_ALLOW_HOSTS: list })).toEqual([]);
    }
  });

  it.each([
    'other.example',
    'store.example:9001',
    'http://store.example:9000',
    'https://store.example',
    'example',
    '*',
  ])('a checked file is still reported if the operator allows only %s', (list) => {
    for (const connector of Object.values(files)) {
      expect(errorsOf(fileOf(connector), { RENDERLINE_ALLOW_HOSTS: list })).toMatchObject([
        { code: 'RL317' },
      ]);
    }
  });

  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'])(
    'a checked file may contain the address in %s',
    (name) => {
      expect(errorsOf(fileOf(files.s3), { [name]: `${address}/` })).toEqual([]);
      expect(errorsOf(fileOf(files.s3), { [name]: 'https://store.example:9001' })).toMatchObject([
        { code: 'RL317' },
      ]);
      const plain = fileOf(files.s3.replace('https:', 'http:'));
      expect(errorsOf(plain, { [name]: 'http://store.example:9000' })).toEqual([]);
      expect(errorsOf(plain, { [name]: address })).toMatchObject([{ code: 'RL316' }]);
    },
  );

  it('a checked file is reported if a parameter contains a forbidden address', () => {
    const text = `${fileOf('type: s3, bucket: acme, endpoint: "${{ params.at }}"')}\nparameters: { at: { type: string, required: true } }`;
    expect(errorsOf(text)).toEqual([]);
    expect(errorsOf(text, {}, { at: address })).toMatchObject([{ code: 'RL317' }]);
    expect(errorsOf(text, { RENDERLINE_ALLOW_HOSTS: 'store.example' }, { at: address })).toEqual(
      [],
    );
  });

  it.each([
    ['s3', 'https://s3.amazonaws.com', true],
    ['s3', 'https://s3.eu-central-1.amazonaws.com', true],
    ['s3', 'https://s3.dualstack.us-gov-west-1.amazonaws.com', true],
    ['s3', 'https://s3-fips.us-east-1.amazonaws.com', true],
    ['s3', 'https://s3-accelerate.amazonaws.com', true],
    ['s3', 'https://s3.cn-north-1.amazonaws.com.cn', true],
    ['s3', 'https://storage.googleapis.com', false],
    ['s3', 'http://s3.eu-central-1.amazonaws.com', false],
    ['s3', 'https://s3.eu-central-1.amazonaws.com:8443', false],
    // Servers of AWS's customers also have names in these domains.
    ['s3', 'https://ec2-3-120-1-2.eu-central-1.compute.amazonaws.com', false],
    ['s3', 'https://abc123.execute-api.eu-central-1.amazonaws.com', false],
    ['s3', 'https://s3.elb.amazonaws.com', false],
    ['s3', 'https://x.s3-object-lambda.eu-central-1.amazonaws.com', false],
    ['s3', 'https://s3.eu-central-1.amazonaws.com.evil.example', false],
    ['s3', 'https://evil-s3.amazonaws.com', false],
    ['gcs', 'https://storage.googleapis.com', true],
    ['gcs', 'https://storage.europe-west3.rep.googleapis.com', true],
    ['gcs', 'https://storage.googleapis.com.evil.example', false],
    ['gcs', 'https://storage-evil.googleapis.com', false],
    ['gcs', 'https://s3.amazonaws.com', false],
  ])('the endpoint of %s, %s, belongs to the vendor: %s', (type, at, isOwn) => {
    const more = type === 'gcs' ? ', keyFileFrom: RENDERLINE_SECRET_X' : '';
    const codes = errorsOf(fileOf(`type: ${type}, bucket: acme, endpoint: "${at}"${more}`)).map(
      ({ code }) => code,
    );
    expect(codes.some((code) => code === 'RL316' || code === 'RL317')).toBe(!isOwn);
  });

  it.each([
    ['an emulator that receives no credentials', `type: gcs, bucket: acme, endpoint: "${address}"`],
    ["a plugin's server that receives no token", `type: stranger_folder, endpoint: "${address}"`],
    ['an AWS bucket', 'type: s3, bucket: acme'],
    ['a container whose address is stored with its key', 'type: azure, container: acme'],
  ])('a checked file needs no permission for %s', (_what, connector) => {
    expect(errorsOf(fileOf(connector))).toEqual([]);
  });
});
