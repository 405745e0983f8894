// Pictures are decoded in separate processes, so that a bad picture can crash only its own decoder.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodePicture, shrinkPicture } from '../../src/pictures/decoding/decode.ts';
import { DecoderPool } from '../../src/pictures/decoding/decoder-pool.ts';
import { DecodingProcess } from '../../src/pictures/decoding/decoding-process.ts';

let folder: string;
let picture: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-decode-'));
  picture = join(folder, 'picture.png');
  const pixels = Buffer.alloc(64 * 48 * 3, 200).fill(10, 0, 900);
  await sharp(pixels, { raw: { width: 64, height: 48, channels: 3 } }).toFile(picture);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const request = () => ({ file: picture, pixels: 64 * 48, memoryBytes: 1e9 });

describe('a decoding process', () => {
  it.each([
    ['hangs', 'process.on("message", () => undefined)', 50, 'TOO_LARGE'],
    [
      'needs too much memory',
      'process.on("message", () => process.send({ kind: "memory" }))',
      60_000,
      'TOO_LARGE',
    ],
    ['crashes during decoding', 'process.on("message", () => process.abort())', 60_000, 'DAMAGED'],
  ])(
    'a decoding process that %s is terminated, and its picture is refused',
    async (_, script, timeoutMs, errorKind) => {
      const decoder = new DecodingProcess(script);
      await expect(decoder.decode(request(), timeoutMs)).rejects.toMatchObject({ errorKind });
      expect(decoder.isUsable).toBe(false);
    },
  );

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'a decoding process continues decoding after %s',
    async (signal) => {
      const decoder = new DecodingProcess();
      await decoder.decode(request(), 60_000);
      process.kill(decoder.pid ?? 0, signal);
      expect(await decoder.decode(request(), 60_000)).toMatchObject({ kind: 'inspected' });
      decoder.end();
    },
  );

  it('a decoding process stops when its own memory exceeds the limit', async () => {
    const decoder = new DecodingProcess();
    // The limit is less than any process needs, and the picture is not decoded before the first memory check.
    const large = join(folder, 'large.png');
    await sharp({ create: { width: 6_000, height: 6_000, channels: 3, background: 'red' } })
      .png()
      .toFile(large);
    const one = { file: large, pixels: 36e6, memoryBytes: 1e6 };
    await expect(decoder.decode(one, 60_000)).rejects.toMatchObject({ errorKind: 'TOO_LARGE' });
  });

  it("a decoding process does not inherit the worker's secrets", async () => {
    process.env['RENDERLINE_API_KEY'] = 'secret';
    const script =
      'process.on("message", () => process.send({ kind: "failed", message: String(process.env.RENDERLINE_API_KEY) }))';
    const decoder = new DecodingProcess(script);
    const reply = await decoder.decode(request(), 60_000);
    decoder.end();
    delete process.env['RENDERLINE_API_KEY'];
    expect(reply).toEqual({ kind: 'failed', message: 'undefined' });
  });

  it.each(['svg', 'webp', 'gif'])('a decoding process refuses the format %s', async (format) => {
    const file = join(folder, `picture.${format}`);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    if (format === 'svg') await writeFile(file, svg);
    else await sharp(picture).toFile(file);
    const decoder = new DecodingProcess();
    const reply = await decoder.decode({ ...request(), file }, 60_000);
    decoder.end();
    expect(reply).toMatchObject({ kind: 'failed', message: expect.stringMatching(/unsupported/) });
  });
});

describe('a pool of decoding processes', () => {
  const options = { maxConcurrent: 1, idleMs: 60_000, timeoutMs: 60_000 };

  /** A pool, and the processes that it has started. */
  function poolOf(script?: string) {
    const started: DecodingProcess[] = [];
    const pool = new DecoderPool(() => {
      const decoder = new DecodingProcess(script);
      started.push(decoder);
      return decoder;
    }, options);
    return { pool, started };
  }

  it('the pool replaces an idle process that was just killed', async () => {
    const { pool, started } = poolOf();
    await pool.decode(request());
    // The exit event of the process arrives after the next request.
    process.kill(started[0]?.pid ?? 0, 'SIGKILL');
    expect(await pool.decode(request())).toMatchObject({ kind: 'inspected' });
    expect(started).toHaveLength(2);
    for (const one of started) one.end();
  });

  it('a picture fails if it kills both a reused process and a new one', async () => {
    const script = `process.on('message', ({ file }) => {
        if (file === 'bomb') process.kill(process.pid, 'SIGKILL');
        else process.send({ kind: 'failed', message: file });
      });`;
    const { pool, started } = poolOf(script);
    await pool.decode(request());
    const error = { errorKind: 'DAMAGED', message: 'crashes its decoder (SIGKILL)' };
    await expect(pool.decode({ ...request(), file: 'bomb' })).rejects.toMatchObject(error);
    expect(started).toHaveLength(2);
    await expect(pool.decode({ ...request(), file: 'bomb' })).rejects.toMatchObject(error);
    expect(started).toHaveLength(3);
  });
});

it('six concurrent requests to decode a picture all get a response', async () => {
  const looks = await Promise.all(Array.from({ length: 6 }, () => decodePicture(picture, 1e6)));
  const look = { format: 'png', width: 64, height: 48, isBlank: false };
  expect(looks).toEqual(Array.from({ length: 6 }, () => look));
});

it('thumbnails are JPEGs', async () => {
  const { format, width } = await sharp(
    await shrinkPicture(picture, { width: 32, height: 32 }),
  ).metadata();
  expect({ format, width }).toEqual({ format: 'jpeg', width: 32 });
});

it("a missing file fails with the file system's error, and a folder fails with FORMAT", async () => {
  await expect(decodePicture(join(folder, 'gone'), 1e6)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(decodePicture(folder, 1e6)).rejects.toMatchObject({ errorKind: 'FORMAT' });
});
