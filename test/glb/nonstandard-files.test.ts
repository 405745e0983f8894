// Nonstandard files: a warning for what viewers accept, and the name of the format for other formats.
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { inspectBytes } from '../../src/glb/inspect-model.ts';
import { bareJson, type Json, makeGlb, triangle, triangleGlb } from './_make-glb.ts';

const good = triangleGlb();
/** The start of a zip archive with this file. */
const zipOf = (name: string) =>
  Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(26), Buffer.from(name)]);

describe('nonstandard files that viewers accept', () => {
  const { json, bin } = triangle();
  const meshopt = (name: string, buffer: Json = {}): Json => ({
    buffers: [{ byteLength: 36 }, { byteLength: 72, ...buffer }],
    bufferViews: [
      {
        buffer: 1,
        byteLength: 36,
        extensions: { [name]: { buffer: 0, byteLength: 36, byteStride: 12, count: 3 } },
      },
    ],
    extensionsUsed: [name],
    extensionsRequired: [name],
  });
  const raw = (patch: Json): string => JSON.stringify({ ...json, ...patch });
  const padded = (text: string, filler: string): Buffer =>
    Buffer.from(text + filler.repeat(4 - (text.length % 4)));
  const unknownChunk = Buffer.from([4, 0, 0, 0, 0x41, 0x42, 0x43, 0x44, 1, 2, 3, 4]);
  const withDeclared = (bytes: Buffer, declared: number): Buffer => {
    const changed = Buffer.from(bytes);
    changed.writeUInt32LE(declared, 8);
    return changed;
  };
  const chunksOf = (bytes: Buffer): { json: Buffer; bin: Buffer } => {
    const end = 20 + bytes.readUInt32LE(12);
    return { json: bytes.subarray(12, end), bin: bytes.subarray(end) };
  };
  const whole = chunksOf(triangleGlb());
  const fileOf = (...chunks: Buffer[]): Buffer => {
    const body = Buffer.concat([triangleGlb().subarray(0, 12), ...chunks]);
    return withDeclared(body, body.length);
  };
  // 40 bytes are declared, but the last two are missing.
  const unpadded = Buffer.concat([whole.bin, Buffer.alloc(2)]);
  unpadded.writeUInt32LE(40);
  const latin1 = Buffer.from(raw({ materials: [{ name: 'Möbel' }] }), 'latin1');
  const nodes = (count: number): Json[] => Array.from({ length: count }, () => ({}));
  const odd = 'NONSTANDARD_GLTF';

  it.each<[string, Buffer, string[]]>([
    [
      'extra bytes after the declared end',
      Buffer.concat([good, Buffer.alloc(5)]),
      ['LENGTH_MISMATCH'],
    ],
    [
      'a declared length that excludes the end',
      withDeclared(good, good.length - 8),
      ['LENGTH_MISMATCH'],
    ],
    ['no declared length', withDeclared(good, 0), ['LENGTH_MISMATCH']],
    ['a few bytes after the last chunk', fileOf(whole.json, whole.bin, Buffer.alloc(4)), []],
    ['a few bytes after the JSON', fileOf(makeGlb(bareJson).subarray(12), Buffer.alloc(4)), [odd]],
    ['an unknown chunk after BIN', fileOf(whole.json, whole.bin, unknownChunk), []],
    ['an unknown chunk before BIN', fileOf(whole.json, unknownChunk, whole.bin), []],
    ['an unknown chunk before JSON', fileOf(unknownChunk, whole.json, whole.bin), [odd]],
    ['thousands of chunks after BIN', makeGlb(json, bin, { extraChunks: 2000 }), []],
    ['BIN without padding', fileOf(whole.json, unpadded), []],
    ['JSON padded with zeros', makeGlb(padded(raw({}), '\0'), bin), [odd]],
    ['a byte order mark', makeGlb(`\uFEFF${raw({})}`, bin), [odd]],
    ['names in another encoding', makeGlb(latin1, bin), [odd]],
    ['a version that is a number', makeGlb(raw({ asset: { version: 2 } }), bin), [odd]],
    ['version 2', makeGlb(raw({ asset: { version: '2' } }), bin), [odd]],
    ['version 2.1', makeGlb(raw({ asset: { version: '2.1', minVersion: '2.1' } }), bin), [odd]],
    [
      'a buffer that includes its padding',
      makeGlb(raw({ buffers: [{ byteLength: 40 }] }), bin),
      [odd],
    ],
    ['a buffer that does not cover all of BIN', makeGlb(raw({}), Buffer.concat([bin, bin])), []],
    [
      'an unused buffer without data',
      makeGlb({ ...bareJson, buffers: [{ byteLength: 9 }] }),
      [odd],
    ],
    [
      'meshopt with a fallback',
      makeGlb(
        raw(
          meshopt('EXT_meshopt_compression', {
            extensions: { EXT_meshopt_compression: { fallback: true } },
          }),
        ),
        bin,
      ),
      [],
    ],
    ['meshopt without a fallback', makeGlb(raw(meshopt('EXT_meshopt_compression')), bin), [odd]],
    [
      'KHR_meshopt_compression',
      makeGlb(raw(meshopt('KHR_meshopt_compression')), bin),
      [odd, 'UNKNOWN_REQUIRED_EXTENSION'],
    ],
    [
      'a stride of zero',
      makeGlb(raw({ bufferViews: [{ buffer: 0, byteLength: 36, byteStride: 0 }] }), bin),
      [],
    ],
    [
      'an accessor at an odd byte',
      makeGlb(
        raw({
          accessors: [
            { bufferView: 0, byteOffset: 1, componentType: 5126, count: 2, type: 'VEC3' },
          ],
        }),
        bin,
      ),
      [odd],
    ],
    ['a missing camera', makeGlb(raw({ nodes: [{ mesh: 0, camera: 0 }] }), bin), [odd]],
    [
      '65 levels of nodes',
      makeGlb({
        ...bareJson,
        nodes: nodes(65).map((_, at) => (at < 64 ? { children: [at + 1] } : {})),
      }),
      [odd],
    ],
    [
      'a shared child',
      makeGlb({ ...bareJson, nodes: [{ children: [2] }, { children: [2] }, {}] }),
      [odd],
    ],
    ['duplicate names', makeGlb(raw({ materials: [{ name: 'a' }, { name: 'a' }] }), bin), []],
    ['no scene', makeGlb({ ...bareJson, nodes: [{}] }), []],
    ['empty scenes', makeGlb({ ...bareJson, scenes: [] }), []],
    [
      'glTF in text form',
      Buffer.from(
        raw({ buffers: [{ byteLength: 36, uri: `data:;base64,${bin.toString('base64')}` }] }),
      ),
      [odd],
    ],
    // The name .glb of a text file causes the first warning.
    ...(['base64', 'percent-encoded'] as const).map((encoding): [string, Buffer, string[]] => {
      const data =
        encoding === 'base64'
          ? `;base64,${bin.toString('base64')}`
          : `,${bin.toString('hex').replaceAll(/../g, '%$&')}`;
      const text = raw({ buffers: [{ byteLength: 40, uri: `data:${data}` }] });
      return [`a ${encoding} data URI without its padding`, Buffer.from(text), [odd, odd]];
    }),
    [
      'a rare required extension',
      makeGlb(raw({ extensionsRequired: ['KHR_mesh_quantization', 'ACME_magic'] }), bin),
      ['UNKNOWN_REQUIRED_EXTENSION'],
    ],
  ])('a file with %s is accepted with the expected warnings', async (_, bytes, codes) => {
    const look = await inspectBytes(bytes, 'glb');
    expect(look.warnings.map(({ code }) => code)).toEqual(codes);
    expect(look.verdict).toBe(codes.length > 0 ? 'accept-with-warning' : 'accept');
  });

  it('the message lists the required extensions that few programs support', async () => {
    const extensionsRequired = ['KHR_mesh_quantization', 'ACME_magic'];
    const look = await inspectBytes(makeGlb(raw({ extensionsRequired }), bin), 'glb');
    expect(look.message).toContain('ACME_magic');
    expect(look.message).not.toContain('KHR_mesh_quantization');
  });

  it('an assembly of 40,000 nodes with matrices is accepted', async () => {
    const matrix = Array.from({ length: 16 }, (_, at) => at / 3);
    const many = nodes(40_000).map((_, at) => ({ name: `part ${at}`, mesh: 0, matrix }));
    const look = await inspectBytes(makeGlb(raw({ nodes: many }), bin), 'glb');
    expect(look.nodes).toBe(40_000);
    expect(look.warnings.map(({ code }) => code)).toEqual(['LARGE_SCENE']);
  });
});

describe('files in another format', () => {
  it.each([
    ['gzip', gzipSync(good), 'it is gzip; unpack it.'],
    ['a zip', zipOf('chair.glb'), 'it is a zip archive; unpack it'],
    ['a USDZ', zipOf('chair.usdc'), 'it is a USDZ package; rename it to .usdz.'],
    ['an FBX', Buffer.from('Kaydara FBX Binary  \0'), 'it is an FBX;'],
    ['an OBJ', Buffer.from('# made by hand\nmtllib a.mtl\nv 0 0 0\n'), 'it is an OBJ;'],
    ['COLLADA', Buffer.from('<?xml version="1.0"?>\n<COLLADA>'), 'it is a COLLADA file;'],
    ['a web page', Buffer.from('<!DOCTYPE html><p>Not found'), 'it is a web page;'],
    ['LFS', Buffer.from('version https://git-lfs.github.com/spec/v1\noid'), 'with git lfs pull.'],
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), 'it is a PNG picture;'],
    ['text', Buffer.from('a chair'), 'it is not a binary glTF.'],
  ])('the message identifies %s in a .glb file', async (_, bytes, words) => {
    const look = await inspectBytes(bytes, 'glb');
    expect(look.code).toBe('NOT_A_GLB');
    expect(look.message).toContain(words);
  });

  it.each(['fbx', 'obj', 'usdz'])(
    'the message identifies binary glTF in a .%s file',
    async (fileType) => {
      const look = await inspectBytes(good, fileType);
      expect(look.message).toContain('it is binary glTF; rename it to .glb');
    },
  );

  it.each([
    ['gltf', 'INVALID_JSON'],
    ['fbx', 'NOT_AN_FBX'],
    ['obj', 'NOT_AN_OBJ'],
    ['usdz', 'NOT_A_ZIP'],
  ])('the message identifies gzip in a .%s file', async (fileType, code) => {
    const look = await inspectBytes(gzipSync('v 0 0 0'), fileType);
    expect(look.code).toBe(code);
    expect(look.message).toContain('it is gzip; unpack it.');
  });
});
