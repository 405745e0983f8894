import { expect } from 'vitest';
import { first } from '../_core-resources.ts';
import { startFileServer } from '../_file-server.ts';
import { bodyRows, invalid, type Row, type Table } from '../_rows.ts';
import { ModelChecks, ModelImported } from '../_shapes.ts';

const unsafe = [
  'http://127.0.0.1/a.glb',
  'https://127.0.0.1/a.glb',
  'http://127.1/a.glb',
  'http://2130706433/a.glb',
  'http://0x7f.1/a.glb',
  'http://0177.0.0.1/a.glb',
  'http://localhost/a.glb',
  'http://localhost./a.glb',
  'http://sub.localhost/a.glb',
  'http://0.0.0.0/a.glb',
  'http://10.1.2.3/a.glb',
  'http://172.16.0.1/a.glb',
  'http://172.31.255.255/a.glb',
  'http://192.168.0.1/a.glb',
  'http://100.64.0.1/a.glb',
  'http://169.254.169.254/latest/a.glb',
  'http://metadata.google.internal/a.glb',
  'http://[::1]/a.glb',
  'http://[::]/a.glb',
  'http://[::ffff:127.0.0.1]/a.glb',
  'http://[::ffff:a00:1]/a.glb',
  'http://[64:ff9b::7f00:1]/a.glb',
  'http://[fd00::1]/a.glb',
  'http://[fe80::1]/a.glb',
];

/** An import that runs against a file server on loopback. */
function fromServer(
  rule: string,
  check: (parts: {
    origin: string;
    importFrom: (body: object) => Promise<{
      modelId: string;
      name: string;
      fileType: string;
      end: () => Promise<{ status: string; error?: string | undefined }>;
    }>;
  }) => Promise<void>,
): Row {
  return {
    rule,
    on: { allowPrivateUrls: true },
    check: async (p) => {
      const server = await startFileServer({
        '/chair.glb': p.target.glb,
        '/plain': p.target.glb,
        '/broken.glb': Buffer.from('no GLB'),
      });
      try {
        await check({
          origin: server.origin,
          importFrom: async (body) => {
            const made = await p.ok('POST /models/import', ModelImported, body);
            const end = async () => {
              const look = () =>
                p.ok('POST /models/status', ModelChecks, { modelIds: [made.modelId] });
              const { models } = await p.until(look, (answer) =>
                ['READY', 'FAILED'].includes(answer.models[0]?.status ?? ''),
              );
              return first(models);
            };
            return { ...made, end };
          },
        });
      } finally {
        await server.stop();
      }
    },
  };
}

export const modelImport: Table = {
  section: '4.2 POST /models/import',
  rows: [
    ...bodyRows('url is required and is a public http(s) URL', 'POST /models/import', invalid, [
      {},
      { url: '' },
      { url: null },
      { url: 7 },
      { url: 'not a url' },
      { url: '/a.glb' },
      { url: 'ftp://example.com/a.glb' },
      { url: 'file:///etc/passwd' },
      { url: 'data:model/gltf-binary;base64,AAAA' },
    ]),
    ...bodyRows(
      'a URL of a private or metadata host is refused',
      'POST /models/import',
      invalid,
      unsafe.map((url) => ({ url })),
    ),
    ...bodyRows('fileType matches ^[a-z0-9]{1,8}$', 'POST /models/import', invalid, [
      { url: 'https://example.com/a', fileType: '.glb' },
      { url: 'https://example.com/a', fileType: 'GLB' },
      { url: 'https://example.com/a', fileType: '' },
    ]),
    {
      rule: 'an unreachable URL is refused',
      send: 'POST /models/import',
      body: { url: 'https://no-such-host.invalid/a.glb' },
      is: invalid,
    },
    {
      rule: 'name is a string',
      send: 'POST /models/import',
      body: { url: 'https://example.com/a.glb', name: 7 },
      is: invalid,
    },
    fromServer(
      'an import is UPLOADING, then READY, and is named after the URL',
      async ({ origin, importFrom }) => {
        const made = await importFrom({ url: `${origin}/chair.glb?size=1` });
        expect(made).toMatchObject({ fileType: 'glb' });
        expect(made.name).toMatch(/^chair/);
        expect(await made.end()).toMatchObject({ status: 'READY', ready: true });
      },
    ),
    fromServer('the given name and fileType are used', async ({ origin, importFrom }) => {
      const made = await importFrom({ url: `${origin}/plain`, name: 'Given', fileType: 'glb' });
      expect(made).toMatchObject({ name: 'Given', fileType: 'glb' });
      expect((await made.end()).status).toBe('READY');
    }),
    fromServer('redirects are followed', async ({ origin, importFrom }) => {
      const made = await importFrom({ url: `${origin}/redirect/chair.glb` });
      expect((await made.end()).status).toBe('READY');
    }),
    fromServer(
      'an import of a file that is not a model becomes FAILED, with an error',
      async ({ origin, importFrom }) => {
        const made = await importFrom({ url: `${origin}/broken.glb` });
        const { status, error } = await made.end();
        expect([status, error]).toEqual(['FAILED', expect.any(String)]);
      },
    ),
    {
      rule: 'fileType is required if the URL has no extension',
      on: { allowPrivateUrls: true },
      check: async (p) => {
        const server = await startFileServer({ '/plain': p.target.glb });
        try {
          await p.refused('POST /models/import', invalid, {
            body: { url: `${server.origin}/plain` },
          });
        } finally {
          await server.stop();
        }
      },
    },
    {
      rule: 'a failed download is refused immediately, or the import becomes FAILED with an error',
      on: { allowPrivateUrls: true },
      check: async (p) => {
        const server = await startFileServer({});
        try {
          const answer = await p.send('POST /models/import', {
            body: { url: `${server.origin}/gone.glb` },
          });
          if (answer.status !== 202) {
            expect(answer).toMatchObject({
              status: 400,
              body: { error: { code: 'VALIDATION_ERROR' } },
            });
            return;
          }
          const { modelId } = ModelImported.parse(answer.body);
          const { models } = await p.until(
            () => p.ok('POST /models/status', ModelChecks, { modelIds: [modelId] }),
            ({ models: [model] }) => model?.status === 'FAILED',
          );
          expect(first(models).error).toMatch(/404/);
        } finally {
          await server.stop();
        }
      },
    },
  ],
};
