// A damaged download is repeated before it fails the asset. The same damage twice fails the asset immediately.

import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { largeTiff } from '../../bench/transfers/large-tiff.ts';
import { ConnectorError, toConnectorError } from '../../src/connectors/connector-error.ts';
import { asset } from '../plan/_steps.ts';
import { codes, paths, useDelivery } from './_delivery.ts';
import { Gate } from './_gate.ts';
import type { Serving } from './_platform.ts';

const delivery = useDelivery();
const naming = '{{ key }}.{{ ext }}';

const status =
  (code: number): Serving =>
  (response) =>
    response.writeHead(code).end('no');
const bytes =
  (content: Buffer | string): Serving =>
  (response) =>
    response.writeHead(200).end(content);
const part = (share: number, end: (response: ServerResponse) => unknown): Serving => {
  return (response, picture = Buffer.alloc(0)) => {
    response.writeHead(200, { 'content-length': picture.length });
    response.write(picture.subarray(0, Math.ceil(picture.length * share)), () => end(response));
  };
};
const reset = (share: number) => part(share, (response) => response.socket?.resetAndDestroy());
/** Resets after the earlier bytes have been read, which systems report as ECONNRESET. */
const lateReset = part(0.5, (response) => setTimeout(() => response.socket?.resetAndDestroy(), 20));
const close = (share: number) => part(share, (response) => response.destroy());
const shorter: Serving = (response, picture) => response.end(picture?.subarray(0, -60));
let seen = 0;
/** An error page of a gateway, different for each request. */
const page: Serving = (response) => response.end(`<html>502, request ${(seen += 1)}</html>`);
const samePage = bytes('<html>502</html>');
const flipped =
  (at: number): Serving =>
  (response, picture) => {
    const broken = Buffer.from(picture ?? '');
    broken[at] = (broken[at] ?? 0) ^ 0x10;
    response.end(broken);
  };
const drip: Serving = (response, picture = Buffer.alloc(0)) => {
  response.writeHead(200, { 'content-length': picture.length });
  const pieces = [...picture].map((byte) => Buffer.from([byte]));
  const next = () => (pieces.length > 0 ? response.write(pieces.shift(), next) : response.end());
  next();
};
const elsewhere: Serving = (response) =>
  response.writeHead(302, { location: delivery.platform.urlOf('other.png') }).end();

const shoe = () => delivery.rendered('shoe', delivery.output('r', 'Front'));

/** The result of an asset whose file is served in these ways, and then correctly. */
async function served(...servings: Serving[]) {
  const one = shoe();
  delivery.job('shoe', ...(one.platformIds.outputs ?? []));
  delivery.platform.pictures.set('other.png', delivery.picture);
  delivery.platform.servings.set('r.png', servings);
  const [result] = await delivery.run(naming, [one]);
  const { platform, waits } = delivery;
  return {
    end: result?.outcome === 'failed' ? result.code : result?.outcome,
    result,
    fetched: platform.count('GET /cdn/r.png'),
    asked: platform.count('GET /renders/job-shoe'),
    waits,
  };
}

describe('a download that succeeds in the end', () => {
  it.each<[string, Serving[], { fetched: number; asked: number }]>([
    ['a connection reset in the middle', [reset(0.5)], { fetched: 2, asked: 0 }],
    ['a connection reset after a pause', [lateReset], { fetched: 2, asked: 0 }],
    ['a connection reset before the first byte', [reset(0)], { fetched: 2, asked: 0 }],
    ['a connection closed in the middle', [close(0.9)], { fetched: 2, asked: 0 }],
    ['a truncated picture', [shorter], { fetched: 2, asked: 0 }],
    ['a picture with a flipped byte', [flipped(200)], { fetched: 2, asked: 0 }],
    ['another flipped byte each time', [flipped(200), flipped(201)], { fetched: 3, asked: 1 }],
    ['an empty file', [bytes('')], { fetched: 2, asked: 0 }],
    ['an error page from a gateway', [page], { fetched: 2, asked: 0 }],
    ['three error pages from a gateway', [page, page, page], { fetched: 4, asked: 1 }],
    ['an overloaded storage', [status(503), status(503), status(429)], { fetched: 4, asked: 1 }],
    ['a file that becomes visible late', [status(404), status(404)], { fetched: 3, asked: 1 }],
    ['an expired link', [status(403)], { fetched: 2, asked: 1 }],
    ['a deleted link', [status(410)], { fetched: 2, asked: 1 }],
    [
      'five different errors',
      [reset(0.1), page, status(404), shorter, status(500)],
      { fetched: 6, asked: 1 },
    ],
    ['a very slow response', [drip], { fetched: 1, asked: 0 }],
    ['a redirect', [elsewhere], { fetched: 1, asked: 0 }],
  ])('a download succeeds after %s', async (_, servings, expected) => {
    expect(await served(...servings)).toMatchObject({ end: 'done', ...expected });
    expect(await readFile(join(delivery.folder, 'shoe.png'))).toEqual(delivery.picture);
    expect(await delivery.files()).toEqual(['shoe.png']);
  });

  it('a download succeeds if the platform replaces a dead link', async () => {
    const now = delivery.output('new', 'Front', { id: 'r' });
    delivery.job('shoe', now);
    const old = delivery.output('r', 'Front', { url: delivery.platform.urlOf('gone.png') });
    const results = await delivery.run(naming, [delivery.rendered('shoe', old)]);
    expect(codes(results)).toEqual(['done']);
    expect(delivery.platform.count('GET /cdn/gone.png')).toBe(1);
  });

  it('a download succeeds even if the platform cannot replace a dead link', async () => {
    delivery.platform.intercept = (request) =>
      request === 'GET /renders/job-shoe' ? { status: 503, body: {} } : undefined;
    expect(await served(status(404))).toMatchObject({ end: 'done', asked: 1 });
  });
});

describe('a download that fails early', () => {
  const white = () => sharp({ create: { width: 9, height: 9, channels: 3, background: '#fff' } });

  it.each<[string, () => Promise<Serving[]>, string, number]>([
    ['two error pages', async () => [samePage, samePage, samePage], 'OUTPUT_UNREADABLE', 2],
    ['two truncated pictures', async () => [shorter, shorter, shorter], 'OUTPUT_UNREADABLE', 2],
    [
      'the same error page twice, with another error in between',
      async () => [samePage, reset(0.5), samePage, samePage],
      'OUTPUT_UNREADABLE',
      3,
    ],
    [
      'a blank picture twice, even with different bytes',
      async () => {
        const [one, two] = [
          await white().png().toBuffer(),
          await white().resize(8, 8).png().toBuffer(),
        ];
        return [bytes(one), bytes(two), bytes(one)];
      },
      'OUTPUT_BLANK',
      2,
    ],
    [
      'a picture in the wrong format twice',
      async () => {
        const jpeg = bytes(await sharp(delivery.picture).jpeg().toBuffer());
        return [jpeg, jpeg, jpeg];
      },
      'OUTPUT_FORMAT',
      2,
    ],
  ])('a download fails early after %s', async (_, servings, code, fetched) => {
    const seenHere = await served(...(await servings()));
    expect(seenHere).toMatchObject({ end: code, fetched, result: { attempts: fetched } });
    expect(await delivery.files()).toEqual([]);
  });
});

describe('a download that keeps failing', () => {
  const always = (serving: Serving) => Array.from({ length: 9 }, () => serving);

  it.each<[string, Serving, string, RegExp]>([
    ['a refused file', status(403), 'OUTPUT_REFUSED', /status 403/],
    ['a missing file', status(404), 'OUTPUT_REFUSED', /status 404/],
    ['a failing storage', status(500), 'OUTPUT_UNREACHABLE', /status 500/],
    ['a broken connection', reset(0.5), 'OUTPUT_UNREACHABLE', /UND_ERR_SOCKET|ECONNRESET/],
    ['a different error page each time', page, 'OUTPUT_UNREADABLE', /cannot be read/],
  ])('a download fails after six attempts because of %s', async (_, serving, code, words) => {
    const { result, ...rest } = await served(...always(serving));
    expect(rest).toMatchObject({ end: code, fetched: 6, asked: 1 });
    expect(result).toMatchObject({ attempts: 6, message: expect.stringMatching(words) });
    expect(result).toMatchObject({
      message: expect.stringMatching(/"Front" \(r\).*tried 6 times/),
    });
    expect(await delivery.files()).toEqual([]);
  });

  it('a download fails after six attempts, with increasing waits of more than two minutes in total', async () => {
    const { waits } = await served(...always(status(404)));
    expect(waits).toEqual([1_000, 3_000, 10_000, 30_000, 90_000]);
  });

  it('a download fails earlier if the attempt runs out of time', async () => {
    const late = 61 * 60_000;
    const times = [0, 0, late];
    const one = shoe();
    delivery.platform.servings.set('r.png', always(page));
    const [result] = await delivery.run(naming, [one], { now: () => times.shift() ?? late });
    expect(result).toMatchObject({ code: 'OUTPUT_UNREADABLE', attempts: 2 });
  });
});

describe('a production file', () => {
  const body = '%PDF-1.4\n1 0 obj\n<< /Type /Page >>\nendobj\n';
  const pdf = Buffer.from(`${body}xref\n0 1\ntrailer\n<<>>\nstartxref\n${body.length}\n%%EOF\n`);
  const cut: Serving = (response) => response.end(pdf.subarray(0, 60));
  const sheet = { fileId: 'f1', name: 'PF-00001-v1' };

  /** Each request to the platform returns another link. */
  async function servedSheet(...servings: Serving[]) {
    const { platform } = delivery;
    let links = 0;
    platform.intercept = (request) => {
      if (request !== 'GET /models/m/production-files') return undefined;
      links += 1;
      const downloadUrl = platform.urlOf(`link-${links}.pdf`);
      platform.pictures.set(`link-${links}.pdf`, pdf);
      for (const link of [1, 2, 3]) platform.servings.set(`link-${link}.pdf`, servings);
      const file = {
        id: 'f1',
        modelId: 'm',
        documentNumber: 'PF-00001',
        version: 1,
        variantIds: [],
        variantNames: [],
        createdAt: '2026-03-01T10:00:00Z',
        createdByUserId: 'u',
        downloadUrl,
      };
      return { status: 200, body: { productionFiles: [file] } };
    };
    const one = asset('shirt', { modelId: 'm', sheet });
    const results = await delivery.run(naming, [one], { what: ['production_files'] });
    const fetched = platform.requests.filter((request) => request.startsWith('GET /cdn/'));
    return { ends: codes(results), fetched: fetched.map((request) => request.slice(9)) };
  }

  it.each<[string, Serving[], string, string[]]>([
    ['is delivered if it arrives intact', [], 'done', ['link-1.pdf']],
    ['is fetched again after a cut response', [cut], 'done', ['link-1.pdf', 'link-1.pdf']],
    ['is fetched again if it breaks off', [reset(0.5)], 'done', ['link-1.pdf', 'link-1.pdf']],
    [
      'gets a second link if the first one is dead',
      [status(403)],
      'done',
      ['link-1.pdf', 'link-2.pdf'],
    ],
    [
      'gets a third link if the second one is refused too',
      [status(403), status(403)],
      'done',
      ['link-1.pdf', 'link-2.pdf', 'link-3.pdf'],
    ],
    [
      'gets a second link after two error pages',
      [page, page],
      'done',
      ['link-1.pdf', 'link-1.pdf', 'link-2.pdf'],
    ],
    [
      'fails if it is truncated twice',
      [cut, cut],
      'OUTPUT_UNREADABLE',
      ['link-1.pdf', 'link-1.pdf'],
    ],
  ])('a production file %s', async (_, servings, end, fetched) => {
    expect(await servedSheet(...servings)).toEqual({ ends: [end], fetched });
    expect(await delivery.files()).toEqual(end === 'done' ? ['shirt.pdf'] : []);
  });
});

describe('assets without a damaged download', () => {
  it('the other assets are delivered while one download is repeated', async () => {
    const assets = ['a', 'bad', 'b'].map((key) =>
      delivery.rendered(key, delivery.output(key, 'Front')),
    );
    delivery.job('bad', delivery.output('bad', 'Front'));
    delivery.platform.servings.set(
      'bad.png',
      Array.from({ length: 9 }, () => reset(0.5)),
    );
    const results = await delivery.run(naming, assets);
    expect(codes(results)).toEqual(['done', 'OUTPUT_UNREACHABLE', 'done']);
    expect(delivery.platform.count('GET /cdn/a.png')).toBe(1);
    expect(await delivery.files()).toEqual(['a.png', 'b.png']);
  });
});

describe('unreachable storage', () => {
  const allBroken = () => {
    const assets = ['a', 'b'].map((key) => delivery.rendered(key, delivery.output(key, 'Front')));
    for (const key of ['a', 'b']) {
      delivery.job(key, delivery.output(key, 'Front'));
      delivery.platform.servings.set(
        `${key}.png`,
        Array.from({ length: 9 }, () => reset(0)),
      );
    }
    return assets;
  };

  it('the attempt ends if storage is unreachable for all assets', async () => {
    await expect(delivery.run(naming, allBroken())).rejects.toMatchObject({
      name: 'TransportError',
    });
  });

  it('each asset fails if storage is still unreachable for all of them in the fifth attempt', async () => {
    const attempt = { number: 5, firstAtMs: 0, retryUntilAtMs: 1e9 };
    const results = await delivery.run(naming, allBroken(), { attempt });
    expect(codes(results)).toEqual(['OUTPUT_UNREACHABLE', 'OUTPUT_UNREACHABLE']);
  });
});

describe('the destination of a download', () => {
  const failing = (error: unknown, times: number) => {
    const { connector } = delivery;
    const stage = connector.stage.bind(connector);
    let left = times;
    connector.stage = async (path) => {
      const staged = await stage(path);
      const write: typeof staged.write = async (chunk) => {
        if ((left -= 1) >= 0) throw error;
        return staged.write(chunk);
      };
      return { ...staged, write };
    };
  };
  const systemError = (code: string) =>
    toConnectorError(Object.assign(new Error(code), { code }), 'write', 'shoe.png', 'folder /out');

  it.each(['EMFILE', 'ENFILE'])(
    'the destination gets the file after a brief shortage of file descriptors (%s)',
    async (code) => {
      failing(systemError(code), 2);
      expect(codes(await delivery.run(naming, [shoe()]))).toEqual(['done']);
      expect(await delivery.files()).toEqual(['shoe.png']);
    },
  );

  it.each([
    ['a longer shortage of file descriptors', 'EMFILE', 'TOO_MANY_OPEN_FILES'],
    ['a full disk', 'ENOSPC', 'DISK_FULL'],
    ['a failing disk', 'EIO', 'UNWRITABLE'],
  ])('%s ends the attempt instead of failing an asset', async (_, errno, code) => {
    failing(systemError(errno), 99);
    const assets = ['bad', 'a'].map((key) => delivery.rendered(key, delivery.output(key, 'Front')));
    delivery.platform.servings.set('bad.png', [samePage, samePage]);
    const ended = delivery.run(naming, assets);
    await expect(ended).rejects.toMatchObject({ name: 'ConnectorError', code });
    expect(await delivery.files()).toEqual([]);
  });

  it('a full destination ends all downloads in progress', async () => {
    const full = new ConnectorError('DISK_FULL', 'a', 'no space', 'free some');
    const { connector } = delivery;
    const stage = connector.stage.bind(connector);
    connector.stage = (path) => (path === 'a.png' ? Promise.reject(full) : stage(path));
    const assets = ['b', 'a'].map((key) => delivery.rendered(key, delivery.output(key, 'Front')));
    // This response never ends.
    delivery.platform.servings.set('b.png', [(response) => response.writeHead(200).write('x')]);
    await expect(delivery.run(naming, assets)).rejects.toBe(full);
    expect(await delivery.files()).toEqual([]);
  });
});

describe('an attempt that replaces a killed one', () => {
  const large = Buffer.concat([...largeTiff(33 * 1024 ** 2).pieces()]);
  const assets = () =>
    ['a', 'b'].map((key) => {
      const output = delivery.output(key, key, { fileType: 'TIFF' });
      delivery.platform.pictures.set(`${key}.png`, large);
      return delivery.rendered(key, output);
    });

  /** Dies when the first file is delivered and the second one is incomplete. */
  async function diesAfterOne(): Promise<void> {
    const worker = new AbortController();
    const died = new Error('died');
    delivery.platform.servings.set('b.png', [(response) => response.writeHead(200).write('x')]);
    const working = delivery.run(naming, assets(), { signal: worker.signal });
    working.catch(() => undefined);
    const gate = new Gate();
    const isNoted = () => [...delivery.records.bucket.files.keys()].join().includes('/moved/');
    await gate.until(() => delivery.platform.count('GET /cdn/b.png') === 1 && isNoted());
    worker.abort(died);
    await expect(working).rejects.toBe(died);
  }
  const again = () =>
    delivery.run(naming, assets(), { attempt: { number: 2, firstAtMs: 0, retryUntilAtMs: 1e9 } });

  it('the attempt downloads only missing files', async () => {
    await diesAfterOne();
    const results = await again();
    expect(codes(results)).toEqual(['done', 'done']);
    expect(paths(results)).toEqual(['a.tif', 'b.tif']);
    expect(delivery.platform.count('GET /cdn/a.png')).toBe(1);
    expect(delivery.platform.count('GET /cdn/b.png')).toBe(2);
  });

  it.each([
    ['is missing', (file: string) => rm(file)],
    ['was replaced', (file: string) => writeFile(file, 'other')],
  ])('the attempt downloads a file again if the copy at the destination %s', async (_, change) => {
    await diesAfterOne();
    await change(join(delivery.folder, 'a.tif'));
    expect(codes(await again())).toEqual(['done', 'done']);
    expect((await stat(join(delivery.folder, 'a.tif'))).size).toBe(large.length);
    expect(delivery.platform.count('GET /cdn/a.png')).toBe(2);
  });
});

describe('a cancellation', () => {
  it.each<[string, Serving]>([
    ['during a download', (response) => response.writeHead(200).write('x')],
    ['between two attempts', reset(0.5)],
  ])('a cancellation %s leaves no files behind', async (_, serving) => {
    const caller = new AbortController();
    const why = new Error('cancelled');
    const cancels: Serving = (response, picture) => {
      serving(response, picture);
      caller.abort(why);
    };
    delivery.platform.servings.set('r.png', [cancels]);
    const ended = delivery.run(naming, [shoe()], { signal: caller.signal });
    await expect(ended).rejects.toBe(why);
    expect(await delivery.files()).toEqual([]);
  });
});
