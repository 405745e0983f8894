// Zips as other programs read them: through the directory (fflate), and through the local headers (streaming readers).
import { crc32, inflateRawSync } from 'node:zlib';
import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { type ZipEntry, ZipWriter } from '../../../src/features/delivery/archive/zip-writer.ts';

type Content = { name: string; pieces: readonly string[] } & Partial<ZipEntry>;
const modifiedAtMs = Date.UTC(2026, 10, 27, 19, 30, 42);

async function zip(...contents: readonly Content[]): Promise<Buffer> {
  const written: Uint8Array[] = [];
  const writer = new ZipWriter(async (bytes) => void written.push(bytes.slice()));
  for (const { pieces, ...entry } of contents) {
    const bytes = Buffer.byteLength(pieces.join(''));
    const open = await writer.open({ bytes, modifiedAtMs, level: 1, ...entry });
    for (const piece of pieces) await open.write(Buffer.from(piece));
    await open.end();
  }
  await writer.end();
  return Buffer.concat(written);
}

const read = (bytes: Buffer) =>
  Object.entries(unzipSync(bytes)).map(([name, content]) => [name, strFromU8(content)]);

/** Offset of the directory, as stored at the end of the zip. */
const directoryAt = (bytes: Buffer) => bytes.readUInt32LE(bytes.length - 22 + 16);

describe('a zip archive', () => {
  const long = 'a chair in oak '.repeat(20_000);
  it.each<[what: string, ...contents: Content[]]>([
    ['without files'],
    ['with one file', { name: 'a.txt', pieces: ['one'] }],
    ['with a file written in pieces', { name: 'a.txt', pieces: [long, '', 'end', long] }],
    ['with an empty file', { name: 'empty.txt', pieces: [] }],
    [
      'with files in folders',
      { name: 'web/a.txt', pieces: ['1'] },
      { name: 'web/b/c.txt', pieces: ['2'] },
    ],
    ['without compression', { name: 'a.png', pieces: [long], level: 0 }],
    ['with the highest compression', { name: 'a.tif', pieces: [long], level: 9 }],
    ['with names in other scripts', { name: 'Stühle/椅子 “1” 🪑.png', pieces: ['1'] }],
  ])('a zip archive %s is read back unchanged', async (_what, ...contents) => {
    const bytes = await zip(...contents);
    expect(read(bytes)).toEqual(contents.map(({ name, pieces }) => [name, pieces.join('')]));
  });

  it('a zip archive has the same bytes for the same files', async () => {
    const files = [
      { name: 'a', pieces: [long] },
      { name: 'b', pieces: ['2'] },
    ];
    expect(await zip(...files)).toEqual(await zip(...files));
  });

  it('a zip archive is smaller than its files if they are compressible', async () => {
    expect((await zip({ name: 'a', pieces: [long] })).length).toBeLessThan(long.length / 20);
  });

  it('a zip archive can be read from the beginning, without its directory', async () => {
    const bytes = await zip({ name: 'ä.png', pieces: ['one'], level: 0 });
    expect(bytes.readUInt32LE(0)).toBe(0x04034b50);
    // Flags: UTF-8 name, and sizes after the content, which readers accept only for compressed entries.
    expect(bytes.readUInt16LE(6)).toBe(0x0808);
    expect(bytes.readUInt16LE(8)).toBe(8);
    const contentAt = 30 + bytes.readUInt16LE(26) + bytes.readUInt16LE(28);
    const descriptorAt = bytes.indexOf('504b0708', 0, 'hex');
    expect(inflateRawSync(bytes.subarray(contentAt, descriptorAt)).toString()).toBe('one');
    const [crc, packed, length] = [4, 8, 12].map((at) => bytes.readUInt32LE(descriptorAt + at));
    expect({ crc, packed, length }).toEqual({
      crc: crc32('one'),
      packed: descriptorAt - contentAt,
      length: 3,
    });
  });

  it('a zip archive stores the modification time of each file', async () => {
    const bytes = await zip({ name: 'a', pieces: [] }, { name: 'b', pieces: [], modifiedAtMs: 0 });
    const at = directoryAt(bytes);
    const date = (from: number) => bytes.readUInt16LE(from + 14);
    expect(date(at)).toBe(((2026 - 1980) << 9) | (11 << 5) | 27);
    expect(bytes.readUInt16LE(at + 12)).toBe((19 << 11) | (30 << 5) | 21);
    expect(bytes.readUInt32LE(at + 46 + 1 + 5)).toBe(modifiedAtMs / 1_000);
    expect(date(at + 46 + 1 + 9), 'of a location without times').toBe((1 << 5) | 1);
  });
});

describe('ZIP64', () => {
  it('ZIP64 holds more than 65,535 files', async () => {
    const many = Array.from({ length: 65_536 }, (_, at) => ({ name: `${at}`, pieces: [] }));
    const bytes = await zip(...many);
    const end64 = bytes.length - 22 - 20 - 56;
    expect(bytes.readUInt32LE(end64)).toBe(0x06064b50);
    expect(bytes.readBigUInt64LE(end64 + 32)).toBe(65_536n);
    expect(Number(bytes.readBigUInt64LE(end64 + 48))).toBe(
      end64 - Number(bytes.readBigUInt64LE(end64 + 40)),
    );
    expect(bytes.readUInt32LE(bytes.length - 42)).toBe(0x07064b50);
    expect(Number(bytes.readBigUInt64LE(bytes.length - 42 + 8))).toBe(end64);
    expect(bytes.readUInt16LE(bytes.length - 22 + 10)).toBe(0xffff);
    expect(Object.keys(unzipSync(bytes))).toHaveLength(65_536);
  });

  it('ZIP64 marks a 4 GiB file in its local header, before the content', async () => {
    const bytes = await zip({ name: 'a', pieces: ['1'], bytes: 2 ** 32 });
    expect(bytes.readUInt16LE(4), 'version').toBe(45);
    expect(bytes.readUInt32LE(22), 'size').toBe(0xffffffff);
    expect(bytes.readUInt16LE(31), 'field').toBe(1);
    const descriptorAt = bytes.indexOf('504b0708', 0, 'hex');
    expect(bytes.readBigUInt64LE(descriptorAt + 16)).toBe(1n);
    expect(directoryAt(bytes)).toBe(descriptorAt + 24);
    expect(read(bytes)).toEqual([['a', '1']]);
  });
});
