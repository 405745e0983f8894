// A zip archive is complete if its directory is, and all listed files lie before it.
import { describe, expect, it } from 'vitest';
import { toBufferSource } from '../../src/glb/byte-source.ts';
import { readZipDirectory } from '../../src/glb/zip-directory.ts';
import { zipOf } from './_zip.ts';

const files = { 'scene.usda': '#usda 1.0', 'textures/oak.png': 'oak'.repeat(40) };
const names = Object.keys(files);
const read = (bytes: Buffer) => readZipDirectory(toBufferSource(bytes));

describe('an archive', () => {
  it.each([
    ['without changes', zipOf(files)],
    ['with a comment', zipOf(files, { comment: 'made by hand' })],
    ['with a comment that contains an end marker', zipOf(files, { comment: 'PK\x05\x06 no end' })],
    ['with bytes after its end', Buffer.concat([zipOf(files), Buffer.alloc(512)])],
  ])('an archive %s lists its files', async (_name, bytes) => {
    expect(await read(bytes)).toEqual(names);
  });

  it('a truncated archive is incomplete, wherever it is cut', async () => {
    const whole = zipOf(files);
    for (let bytes = 4; bytes < whole.length; bytes += 1) {
      await expect(read(whole.subarray(0, bytes)), `${bytes} bytes`).rejects.toMatchObject({
        code: 'TRUNCATED',
      });
    }
  });

  const [listed, long] = [zipOf(files), Buffer.alloc(4, 0xff)];
  const at = listed.indexOf('PK\x01\x02');
  it.each([
    ['with more files than a plain zip can count', zipOf(files, { entries: 0xffff })],
    ['with a file of four gigabytes', Buffer.from(listed).fill(long, at + 20, at + 24)],
    [
      'with a file after the first four gigabytes',
      Buffer.from(listed).fill(long, at + 42, at + 46),
    ],
    [
      'with a directory after the first four gigabytes',
      Buffer.from(listed).fill(long, listed.length - 6, listed.length - 2),
    ],
  ])('an archive %s is reported as ZIP64, not as incomplete', async (_name, bytes) => {
    await expect(read(bytes)).rejects.toThrow(/is a ZIP64: .* export less than 4 GiB/);
  });

  it.each([
    ['compressed', 10, 8],
    ['encrypted', 8, 1],
  ])(
    'an archive whose model is %s is refused, because no program can read it',
    async (_, field, value) => {
      const bytes = Buffer.from(listed);
      bytes.writeUInt16LE(value, at + field);
      await expect(read(bytes)).rejects.toMatchObject({
        code: 'NOT_A_ZIP',
        message:
          '"scene.usda" is compressed or encrypted in the archive, so programs for USD cannot read it.',
      });
    },
  );

  it('a picture in an archive may be compressed', async () => {
    const bytes = Buffer.from(listed);
    bytes.writeUInt16LE(8, bytes.indexOf('PK\x01\x02', at + 4) + 10);
    expect(await read(bytes)).toEqual(names);
  });

  it.each([
    ['that lacks a file that its directory counts', zipOf(files, { entries: 3 }), 'TRUNCATED'],
    [
      'whose directory overlaps a listed file',
      Buffer.from(listed).fill(listed.subarray(-6, -2), at + 42, at + 46),
      'TRUNCATED',
    ],
    ['without its beginning', zipOf(files).subarray(8), 'NOT_A_ZIP'],
    [
      'with bytes missing in its middle',
      Buffer.concat([zipOf(files).subarray(0, 20), zipOf(files).subarray(40)]),
      'TRUNCATED',
    ],
    ['that is empty', Buffer.alloc(0), 'NOT_A_ZIP'],
    ['that is a web page', Buffer.from('<!doctype html><p>Not found'), 'NOT_A_ZIP'],
  ])('an archive %s is refused', async (_name, bytes, code) => {
    await expect(read(bytes)).rejects.toMatchObject({ code });
  });
});
