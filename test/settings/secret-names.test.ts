// Tests which variables a pipeline file may use. The attack is a file that sends one of our keys to its own server.
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { readSecret } from '../../src/settings/secrets/secret-names.ts';
import { compile, withNodes } from '../compile/_compile.ts';

const secret = 'canary-4711';
const lists = {
  nothing: {},
  'the name': (name: string) => ({ RENDERLINE_ALLOW_SECRETS: `OTHER, ${name} ,` }),
};

/** The variable, and whether it is allowed without its name and with its name on the operator's list. */
const rows: [string, 'value' | 'not-allowed' | 'own', 'value' | 'own'][] = [
  ['RENDERLINE_SECRET_SHOP', 'value', 'value'],
  ['RENDERLINE_SECRET_AWS_KEY', 'value', 'value'],
  ['SHOP_SECRET', 'not-allowed', 'value'],
  ['PATH', 'not-allowed', 'value'],
  ['MY_RENDERLINE_SECRET_SHOP', 'not-allowed', 'value'],
  ['RENDERLINE_API_KEY', 'own', 'own'],
  ['RENDERLINE_API_KEY_FILE', 'own', 'own'],
  ['RENDERLINE_WEBHOOK_SECRET', 'own', 'own'],
  ['RENDERLINE_WEBHOOK_SECRET_PREVIOUS', 'own', 'own'],
  ['RENDERLINE_SECRETS', 'own', 'own'],
  ['RENDERLINE_ALLOW_SECRETS', 'own', 'own'],
  ['renderline_api_key', 'own', 'own'],
  ['TEMPORAL_API_KEY', 'own', 'own'],
  ['TEMPORAL_TLS_CLIENT_KEY_DATA', 'own', 'own'],
  ['AWS_SECRET_ACCESS_KEY', 'own', 'own'],
  ['AWS_SESSION_TOKEN', 'own', 'own'],
  ['AZURE_STORAGE_CONNECTION_STRING', 'own', 'own'],
  ['AZURE_CLIENT_SECRET', 'own', 'own'],
  ['GOOGLE_APPLICATION_CREDENTIALS', 'own', 'own'],
  ['GCLOUD_SERVICE_KEY', 'own', 'own'],
  ['CLOUDSDK_AUTH_ACCESS_TOKEN', 'own', 'own'],
];
const cases = rows.flatMap(([name, alone, listed]) => [
  [name, 'nothing', alone, lists.nothing] as const,
  [name, 'the name', listed, lists['the name'](name)] as const,
]);
const sayOf = (outcome: string) => (outcome === 'value' ? { value: secret } : { code: outcome });

describe('a variable that a file refers to', () => {
  it.each(cases)(
    'the variable %s, if the list contains %s, is allowed: %s',
    (name, _list, outcome, list) => {
      const env = { [name]: secret, ...list };
      // The list itself contains names.
      if (name === 'RENDERLINE_ALLOW_SECRETS') Object.assign(env, { [name]: name });
      expect(readSecret(name, 'passwordFrom', env)).toMatchObject(sayOf(outcome));
    },
  );

  it('a variable that is empty or not set counts as missing', () => {
    const name = 'RENDERLINE_SECRET_SHOP';
    for (const env of [{}, { [name]: '' }]) {
      expect(readSecret(name, 'secretFrom', env)).toMatchObject({ code: 'not-set' });
    }
  });
});

/** Each field that names a variable, with the position of its value. */
const fields = [
  ['passwordFrom', '3:78', 'type: sftp, host: files.example, user: u, path: /, passwordFrom: NAME'],
  [
    'privateKeyFrom',
    '3:80',
    'type: sftp, host: files.example, user: u, path: /, privateKeyFrom: NAME',
  ],
  ['connectionStringFrom', '3:66', 'type: azure, container: media, connectionStringFrom: NAME'],
  ['keyFileFrom', '3:52', 'type: gcs, bucket: media, keyFileFrom: NAME'],
] as const;
const texts: (readonly [string, string, string])[] = [
  ...fields.map(([field, place, connector]) => {
    return [field, place, withNodes().replace('type: local, path: models', connector)] as const;
  }),
  [
    'secretFrom',
    '8:53',
    `${withNodes()}\nnotify: [{ url: "https://a.example/in", secretFrom: NAME }]`,
  ],
  [
    'secretFrom',
    '8:101',
    withNodes(
      '{ id: tell, type: notify, parentIds: [take], config: { url: "https://a.example/in", secretFrom: NAME } }',
    ),
  ],
];

/** The operator has allowed the server of the files. */
const place = { RENDERLINE_ALLOW_HOSTS: 'files.example' };

function errorsOf(text: string, env: Readonly<Record<string, string>> = {}) {
  return compile(text, null, { ...place, ...env })
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ line, col, code, message, hint = '' }) => ({
      at: `${line}:${col} ${code}`,
      message,
      hint,
    }));
}

describe('a checked file', () => {
  it.each(texts)('a checked file is reported at the position of %s: %s', (field, at, text) => {
    const named = text.replace('NAME', 'SHOP_SECRET');
    const [error, ...others] = errorsOf(named);
    expect(others).toEqual([]);
    expect(error?.at).toBe(`${at} RL315`);
    expect(error?.hint).toContain(`\`${field}: RENDERLINE_SECRET_SHOP\``);
    expect(errorsOf(named, { RENDERLINE_ALLOW_SECRETS: 'SHOP_SECRET' })).toEqual([]);
    expect(errorsOf(text.replace('NAME', 'RENDERLINE_SECRET_SHOP'))).toEqual([]);
  });

  it.each(texts)('a checked file never gets our own key with %s at %s', (_field, at, text) => {
    const name = 'RENDERLINE_API_KEY';
    const [error] = errorsOf(text.replace('NAME', name), { RENDERLINE_ALLOW_SECRETS: name });
    expect(error?.at).toBe(`${at} RL315`);
    expect(error?.message).toContain('even if RENDERLINE_ALLOW_SECRETS lists it');
  });

  it('a checked file may not refer to a variable in a parameter', () => {
    const text = `${withNodes()}\nparameters: { name: { type: string } }\nnotify: [{ url: "https://a.example/in", secretFrom: "\${{ params.name }}" }]`;
    const { plan, problems } = compile(text, { name: 'RENDERLINE_API_KEY' });
    expect(plan).toBeNull();
    expect(problems.map(({ code }) => code)).toContain('RL315');
  });

  it.each([
    ['connectionStringFrom', 'AZURE_STORAGE_CONNECTION_STRING', texts[2]],
    ['keyFileFrom', 'GOOGLE_APPLICATION_CREDENTIALS', texts[3]],
  ] as const)(
    'a checked file that sets %s to %s is advised to remove the field',
    (field, name, row) => {
      const [error] = errorsOf(row?.[2].replace('NAME', name) ?? '');
      expect(error?.hint).toContain(`Remove \`${field}\``);
    },
  );
});

describe('a plan that was written by hand', () => {
  let server: Server;
  let port = 0;
  let calls = 0;
  beforeAll(async () => {
    server = createServer((socket) => {
      calls += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it.each([
    ['sftp', 'passwordFrom', 'RENDERLINE_API_KEY'],
    ['sftp', 'privateKeyFrom', 'AWS_SECRET_ACCESS_KEY'],
    ['sftp', 'passwordFrom', 'HOME_SECRET'],
    ['azure', 'connectionStringFrom', 'TEMPORAL_API_KEY'],
    ['gcs', 'keyFileFrom', 'GOOGLE_APPLICATION_CREDENTIALS'],
  ])('a plan written by hand opens no connection for %s with %s: %s', async (type, field, name) => {
    const place = { host: '127.0.0.1', port, user: 'u', path: '/', container: 'media' };
    const endpoint = `http://127.0.0.1:${port}`;
    const spec = { type, ...place, bucket: 'media', endpoint, [field]: name };
    const connector = openConnector(spec, {
      [name]: secret,
      RENDERLINE_ALLOW_SECRETS: 'RENDERLINE_API_KEY',
      RENDERLINE_ALLOW_HOSTS: '127.0.0.1',
    });
    const failure: unknown = await connector.stat('a.glb').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SECRET_NOT_ALLOWED' });
    expect(String(failure)).not.toContain(secret);
    expect(calls).toBe(0);
  });
});

describe('an address in a file or a plan', () => {
  const placed = (connector: string) => withNodes().replace('type: local, path: models', connector);
  it.each([
    ['3:48', placed('type: s3, bucket: acme, endpoint: "http://minio.example:9000"')],
    ['3:49', placed('type: gcs, bucket: acme, endpoint: "http://10.0.0.7"')],
    ['3:48', placed('type: s3, bucket: acme, endpoint: "https://169.254.169.254"')],
    [
      '8:18',
      `${withNodes()}\nnotify: [{ url: "http://a.example/in", secretFrom: RENDERLINE_SECRET_A }]`,
    ],
    [
      '8:66',
      withNodes(
        '{ id: tell, type: notify, parentIds: [take], config: { url: "http://a.example/in", secretFrom: RENDERLINE_SECRET_A } }',
      ),
    ],
  ])('an address that would receive signed requests unencrypted is refused at %s', (at, text) => {
    expect(errorsOf(text).map((error) => error.at)).toEqual([`${at} RL316`]);
    const allowed = { RENDERLINE_ALLOW_HOSTS: 'minio.example,10.0.0.7,169.254.169.254,a.example' };
    const isMetadata = text.includes('169.254');
    expect(errorsOf(text, allowed)).toHaveLength(isMetadata ? 1 : 0);
  });

  it.each([
    ['s3', { endpoint: 'http://minio.example:9000' }, {}],
    ['s3', { endpoint: 'https://[fd00:ec2::254]' }, {}],
    ['gcs', { endpoint: 'http://minio.example' }, {}],
    ['sftp', { host: '169.254.169.254', passwordFrom: 'RENDERLINE_SECRET_A' }, {}],
    ['sftp', { host: 'fd00:ec2::254', passwordFrom: 'RENDERLINE_SECRET_A' }, {}],
    [
      'azure',
      {},
      {
        AZURE_STORAGE_CONNECTION_STRING:
          'BlobEndpoint=http://blobs.example/a;AccountName=a;AccountKey=YQ==',
      },
    ],
    [
      'azure',
      {},
      {
        AZURE_STORAGE_CONNECTION_STRING:
          'DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==',
      },
    ],
  ])('the address of %s in a plan gets no request: %j', async (type, more, env) => {
    const place = { bucket: 'media', container: 'media', host: 'files', user: 'u', path: '/' };
    const reading = async () =>
      openConnector({ type, ...place, ...more }, { RENDERLINE_SECRET_A: 'x', ...env }).stat(
        'a.glb',
      );
    await expect(reading()).rejects.toMatchObject({ code: 'CONNECTOR_MISCONFIGURED' });
  });
});
