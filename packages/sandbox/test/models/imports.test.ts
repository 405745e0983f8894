// Import by URL from real local servers: redirects, private networks, sizes, failures.
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SandboxOptions } from '../../../../src/sandbox/interface.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

const servers: Server[] = [];
let sandbox: TestSandbox | undefined;
afterEach(async () => {
  await sandbox?.sandbox.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function start(options: SandboxOptions = {}): TestSandbox {
  sandbox = new TestSandbox({ allowPrivateUrls: true, ...options });
  return sandbox;
}

interface Imported {
  modelId: string;
  name: string;
  fileType: string;
  status: string;
}

async function importAndFinish(own: TestSandbox, body: object) {
  const answer = await own.call<Imported>('POST /models/import', body);
  expect(answer.text).toContain('UPLOADING');
  expect(answer.status).toBe(202);
  await own.sandbox.idle();
  own.advance(6);
  const { modelId } = answer.body;
  const status = await own.call<{ models: { status: string; error?: string }[] }>(
    'POST /models/status',
    { modelIds: [modelId] },
  );
  return { imported: answer.body, ...status.body.models[0] };
}

const glb = triangleGlb();

describe('an accepted import', () => {
  test('a file becomes a READY model named after the URL', async () => {
    const origin = await serve((_request, response) => response.end(glb));
    const { imported, status } = await importAndFinish(start(), {
      url: `${origin}/my%20chair.glb?v=1`,
    });
    expect(imported).toMatchObject({ name: 'my chair.glb', fileType: 'glb' });
    expect(status).toBe('READY');
  });

  test('at most five redirects are followed', async () => {
    const origin = await serve((request, response) => {
      const left = Number(new URL(request.url ?? '', 'http://x').searchParams.get('left'));
      if (left === 0) return void response.end(glb);
      response.writeHead(302, { location: `/a.glb?left=${left - 1}` }).end();
    });
    const own = start();
    expect((await importAndFinish(own, { url: `${origin}/a.glb?left=5` })).status).toBe('READY');
    const refused = await own.call('POST /models/import', { url: `${origin}/a.glb?left=6` });
    expect(refused.status).toBe(400);
  });

  test('a model is UPLOADING during the download', async () => {
    let send = () => {};
    const origin = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': glb.length }).flushHeaders();
      send = () => void response.end(glb);
    });
    const own = start();
    const { body } = await own.call<Imported>('POST /models/import', { url: `${origin}/a.glb` });
    const status = async () =>
      (await own.call<{ status: string }>(`GET /models/${body.modelId}`)).body.status;
    own.advance(100);
    expect(await status()).toBe('UPLOADING');
    send();
    await own.sandbox.idle();
    expect(await status()).toBe('ANALYZING');
  });
});

describe('a server that responds late', () => {
  const answers: [title: string, answer: (response: ServerResponse) => void, status: string][] = [
    ['the file', (response) => response.end(glb), 'READY'],
    ['a file over the limit', (response) => response.end(Buffer.alloc(2_000)), 'FAILED'],
    ['a closed connection', (response) => response.destroy(), 'FAILED'],
  ];
  test.each(answers)(
    'a late response from the server is processed after the import has responded: %s',
    async (_title, answer, end) => {
      const own = start({ importWaitMs: 0 });
      await own.control('/limits', { modelFileBytes: 1_500 });
      const held: ServerResponse[] = [];
      const origin = await serve((_request, response) => void held.push(response));
      const { body } = await own.call<Imported>('POST /models/import', { url: `${origin}/a.glb` });
      const { modelId } = body;
      expect(body.status).toBe('UPLOADING');
      const read = () => own.call('POST /models/status', { modelIds: [modelId] });
      expect((await read()).body).toMatchObject({
        models: [{ status: 'UPLOADING', ready: false }],
      });
      await vi.waitFor(() => expect(held).toHaveLength(1));
      for (const response of held) answer(response);
      await own.sandbox.idle();
      own.advance(6);
      expect((await read()).body).toMatchObject({ models: [{ status: end }] });
    },
  );
});

describe('an import that becomes FAILED', () => {
  const failures: [title: string, listener: RequestListener, reason: RegExp][] = [
    ['a 404', (_request, response) => response.writeHead(404).end(), /404/],
    ['a file that is not a GLB', (_request, response) => response.end('<html>'), /glTF/],
    [
      'a transfer that is cut off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('half');
        response.flushHeaders();
        setImmediate(() => response.destroy());
      },
      /./,
    ],
  ];
  test.each(failures)(
    'an import becomes FAILED with a reason for %s',
    async (_title, listener, reason) => {
      const origin = await serve(listener);
      const { status, error } = await importAndFinish(start(), { url: `${origin}/a.glb` });
      expect(status).toBe('FAILED');
      expect(error).toMatch(reason);
    },
  );

  test('an import becomes FAILED for a file that turns out to be too large', async () => {
    const own = start();
    await own.control('/limits', { modelFileBytes: 100 });
    const origin = await serve((_request, response) => {
      response.write(Buffer.alloc(60));
      response.end(Buffer.alloc(60));
    });
    const { status, error } = await importAndFinish(own, { url: `${origin}/a.glb` });
    expect(status).toBe('FAILED');
    expect(error).toContain('100 bytes');
  });
});

describe('an import that is refused immediately', () => {
  async function refusal(own: TestSandbox, body: object): Promise<string> {
    const answer = await own.call<{ error: { code: string; message: string } }>(
      'POST /models/import',
      body,
    );
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect((await own.call('GET /models')).body).toMatchObject({ total: 0 });
    return answer.body.error.message;
  }

  test.each([['download'], ['model.backup-2026'], ['model.photogrammetry']])(
    'an import without a type is refused if the URL ends with %s',
    async (name) => {
      const origin = await serve((_request, response) => response.end(glb));
      expect(await refusal(start(), { url: `${origin}/${name}` })).toBe(
        'fileType: missing, and the path of the URL does not end with an extension of 1 to 8 letters or digits. Send fileType.',
      );
    },
  );

  test('an import with a Content-Length over the limit is refused', async () => {
    const own = start();
    await own.control('/limits', { modelFileBytes: 100 });
    const origin = await serve((_request, response) => response.end(glb));
    expect(await refusal(own, { url: `${origin}/a.glb` })).toMatch(/bytes/);
  });

  test('an import from a port without a server is refused', async () => {
    expect(await refusal(start(), { url: 'http://127.0.0.1:9/a.glb' })).toMatch(
      /cannot be reached/,
    );
  });

  test('an import from a name that does not resolve is refused', async () => {
    const own = start({ resolveHost: () => Promise.reject(new Error('ENOTFOUND')) });
    expect(await refusal(own, { url: 'http://nowhere.example/a.glb' })).toMatch(/resolved/);
  });

  test.each(['169.254.169.254', 'fd00:ec2::254'])(
    'an import from a name of the metadata service at %s is refused, even with --allow-private-urls',
    async (address) => {
      const own = start({ resolveHost: () => Promise.resolve([address]) });
      const message = await refusal(own, { url: 'http://files.example.com/a.glb' });
      expect(message).toMatch(/metadata service/);
    },
  );

  describe('without --allow-private-urls', () => {
    let asked: string[];
    beforeEach(() => {
      asked = [];
    });
    const own = (addresses: string[]) =>
      start({
        allowPrivateUrls: false,
        resolveHost: (hostname) => {
          asked.push(hostname);
          return Promise.resolve(addresses);
        },
      });

    test.each([
      ['127.0.0.1'],
      ['10.0.0.7'],
      ['169.254.169.254'],
      ['::1'],
      ['::ffff:10.0.0.1'],
      ['fd12::1'],
    ])('an import from a name that resolves to %s is refused', async (address) => {
      const message = await refusal(own([address]), { url: 'http://files.example.com/a.glb' });
      expect(message).toMatch(/private address|metadata service/);
      expect(asked).toEqual(['files.example.com']);
    });

    test('an import from a name with one private address among public ones is refused', async () => {
      const message = await refusal(own(['93.184.216.34', '10.0.0.7']), {
        url: 'http://files.example.com/a.glb',
      });
      expect(message).toContain('private address');
    });

    test('an import from a private address in the URL is refused without a lookup', async () => {
      await refusal(own(['93.184.216.34']), { url: 'http://127.1/a.glb' });
      expect(asked).toEqual([]);
    });
  });
});
