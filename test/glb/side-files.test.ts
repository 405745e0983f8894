// External files of a model that are not uploaded with it, by format.
import { describe, expect, it } from 'vitest';
import { toBufferSource } from '../../src/glb/byte-source.ts';
import { inspectBytes, inspectSource } from '../../src/glb/inspect-model.ts';
import { findSideFiles, formatNames } from '../../src/glb/side-files.ts';
import { bareJson, makeGlb } from './_make-glb.ts';

/** A record of a binary FBX. `start` is its offset in the file. */
type Record = (start: number) => Buffer;

function fbx(version: number, ...records: ReadonlyArray<(isLong: boolean) => Record>): Buffer {
  const head = Buffer.alloc(27);
  head.write('Kaydara FBX Binary  \0\u001a\0', 'latin1');
  head.writeUInt32LE(version, 23);
  const isLong = version >= 7_500;
  return Buffer.concat([head, listOf(records, isLong)(head.length)]);
}

function listOf(records: ReadonlyArray<(isLong: boolean) => Record>, isLong: boolean): Record {
  return (start) => {
    const parts: Buffer[] = [];
    let at = start;
    for (const record of records) {
      const bytes = record(isLong)(at);
      parts.push(bytes);
      at += bytes.length;
    }
    return Buffer.concat([...parts, Buffer.alloc(isLong ? 25 : 13)]);
  };
}

function record(
  name: string,
  properties: Buffer[],
  ...inner: ReadonlyArray<(isLong: boolean) => Record>
): (isLong: boolean) => Record {
  return (isLong) => (start) => {
    const width = isLong ? 8 : 4;
    const values = Buffer.concat(properties);
    const from = start + 3 * width + 1 + name.length + values.length;
    const list = inner.length === 0 ? Buffer.alloc(0) : listOf(inner, isLong)(from);
    const head = Buffer.alloc(3 * width + 1);
    const numbers = [from + list.length, properties.length, values.length];
    for (const [at, number] of numbers.entries()) head.writeUInt32LE(number, at * width);
    head[3 * width] = name.length;
    return Buffer.concat([head, Buffer.from(name), values, list]);
  };
}

function value(kind: 'S' | 'R', content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  const head = Buffer.from([kind.charCodeAt(0), 0, 0, 0, 0]);
  head.writeUInt32LE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

const pictureOf = (type: string, name: string, content = '') =>
  record(
    type,
    [value('S', `${name}\0\u0001${type}`)],
    record('RelativeFilename', [value('S', name)]),
    ...(content === '' ? [] : [record('Content', [value('R', content)])]),
  );
const geometry = record('Geometry', [value('R', Buffer.alloc(200_000))]);
const sceneOf = (version: number) =>
  fbx(
    version,
    record('FBXHeaderExtension', []),
    record(
      'Objects',
      [],
      geometry,
      pictureOf('Video', 'maps\\wood.png'),
      pictureOf('Video', 'inside.png', 'PNG'),
      pictureOf('Texture', 'maps\\wood.png'),
      pictureOf('Texture', 'inside.png'),
      pictureOf('Texture', 'C:\\Users\\anna\\oak.tga'),
    ),
    record('Connections', []),
  );

function chunk(type: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(6);
  head.writeUInt16LE(type, 0);
  head.writeUInt32LE(6 + body.length, 2);
  return Buffer.concat([head, body]);
}

const material = chunk(
  0xafff,
  chunk(0xa000, Buffer.from('Wood\0')),
  chunk(0xa200, chunk(0x0030, Buffer.alloc(2)), chunk(0xa300, Buffer.from('WOOD.JPG\0'))),
);
const scene3ds = chunk(
  0x4d4d,
  chunk(2, Buffer.alloc(4)),
  chunk(0x3d3d, chunk(0x4000, Buffer.alloc(999)), material),
);

const fbxText = `; FBX 7.4.0 project file
Objects:  {
	Geometry: 9, "Geometry::a", "Mesh" {
	}
	Video: 1, "Video::a", "Clip" {
		RelativeFilename: "maps\\wood.png"
	}
	Video: 2, "Video::b", "Clip" {
		RelativeFilename: "inside.png"
		Content: ,
			"iVBORw0KGgoAAAANSUhEUgAA"
	}
	Texture: 3, "Texture::a", "" {
		RelativeFilename: "maps\\wood.png"
	}
	Texture: 4, "Texture::b", "" {
		RelativeFilename: "inside.png"
	}
}`;
const dae = `<?xml version="1.0"?><COLLADA><library_images>
<image id="a" name="a"><init_from>maps/wood%20oak.png</init_from></image>
<image id="b"><init_from><ref>file:///C:/oak.png</ref></init_from></image>
<image id="c"><init_from>data:image/png;base64,AAAA</init_from></image></library_images>
<newparam><surface type="2D"><init_from>a</init_from></surface></newparam></COLLADA>`;
const ply = 'ply\nformat ascii 1.0\ncomment TextureFile scan 1.jpg\nend_header\n';
const usda = '#usda 1.0\ndef "a" (references = @./parts/leg.usd@) { asset file = @maps/wood.png@ }';

describe('truncated files', () => {
  it.each([7_400, 7_700])('a truncated FBX of version %i is refused', async (version) => {
    const whole = sceneOf(version);
    const listEnd = version < 7_500 ? 13 : 25;
    for (const bytes of [26, 100, 5_000, 200_000, whole.length - 70, whole.length - listEnd]) {
      expect(await inspectBytes(whole.subarray(0, bytes), 'fbx')).toMatchObject({
        code: 'TRUNCATED',
        message: expect.stringMatching(`but the file has ${bytes} bytes: it is truncated`),
      });
    }
  });
});

it.each([
  ['without objects', fbx(7_400, record('FBXHeaderExtension', []))],
  ['without a geometry', fbx(7_700, record('Objects', [], record('Model', [])))],
])('an FBX %s is refused', async (_, bytes) => {
  expect(await inspectBytes(bytes, 'fbx')).toMatchObject({ code: 'NO_GEOMETRY' });
});

it('an FBX of version 6 is accepted, because its models contain their geometry', async () => {
  const bytes = fbx(6_100, record('Objects', [], record('Model', [])));
  expect(await inspectBytes(bytes, 'fbx')).toMatchObject({ code: null });
});

describe('side files', () => {
  it.each<[string, Buffer, string[]]>([
    ['obj', Buffer.from('# a\nmtllib chair.mtl\nv 0 0 0\np 1\n'), ['chair.mtl']],
    [
      'obj',
      Buffer.from('mtllib my chair.mtl ./b.MTL\r\nv 0 0 0\np 1\n'),
      ['my chair.mtl', 'b.MTL'],
    ],
    ['obj', Buffer.from('v 0 0 0\nusemtl Wood\np 1\n'), []],
    ['fbx', sceneOf(7_400), ['maps/wood.png', 'oak.tga']],
    ['fbx', sceneOf(7_700), ['maps/wood.png', 'oak.tga']],
    ['fbx', Buffer.from(fbxText), ['maps/wood.png']],
    ['fbx', fbx(7_400, record('Objects', [], geometry)), []],
    ['dae', Buffer.from(dae), ['maps/wood oak.png', 'oak.png']],
    ['3ds', scene3ds, ['WOOD.JPG']],
    ['ply', Buffer.from(ply), ['scan 1.jpg']],
    ['usda', Buffer.from(usda), ['parts/leg.usd', 'maps/wood.png']],
    ['usd', Buffer.from(usda), ['parts/leg.usd', 'maps/wood.png']],
    ['usd', Buffer.from('PXR-USDC'), []],
    ['stl', Buffer.from('solid mtllib chair.mtl'), []],
  ])('side files of a .%s are found', async (fileType, bytes, expected) => {
    expect(await findSideFiles(toBufferSource(bytes), fileType)).toEqual(expected);
    const look = await inspectBytes(bytes, fileType);
    expect(look.warnings.map(({ code }) => code)).toEqual(
      expected.length > 0 ? ['SIDE_FILES'] : [],
    );
    for (const name of expected) expect(look.message).toContain(JSON.stringify(name));
  });

  it.each<[string, string[]]>([
    ['map_Kd wood.png', ['wood.png']],
    ['map_Kd -s 1 1 1 -o 0.5 0 0 -clamp on maps\\oak wood.png', ['maps/oak wood.png']],
    [
      '  bump -bm 0.3 bump.jpg\nnorm normal.png\r\nmap_Pr rough.exr',
      ['bump.jpg', 'normal.png', 'rough.exr'],
    ],
    ['Kd 0.5 0.3 0.1', []],
  ])('side files in the .mtl of an .obj are found: %s', async (library, expected) => {
    const asked: string[] = [];
    const look = await inspectSource(
      toBufferSource(Buffer.from('mtllib ./chair.mtl\nv 0 0 0\n')),
      'obj',
      {
        readSideFile: async (path) => {
          asked.push(path);
          return Buffer.from(library);
        },
      },
    );
    expect(asked).toEqual(['chair.mtl']);
    expect(look.message).toContain(formatNames(['chair.mtl', ...expected]));
  });

  it.each([
    ['https://store.example/a.png?X-Amz-Signature=hush', 'https://store.example/a.png'],
    ['https://me:hush@store.example/a.png#x', 'https://store.example/a.png'],
    ['maps/a?b@c.png', 'maps/a?b@c.png'],
  ])('the name of a side file is shown without login and signature: %s', (name, shown) => {
    expect(formatNames([name])).toBe(JSON.stringify(shown));
  });

  it('the first few side files are listed, and the others are counted', async () => {
    const images = Array.from({ length: 12 }, (_, at) => ({ uri: `map-${at}.png` }));
    const look = await inspectBytes(makeGlb({ ...bareJson, images }), 'glb');
    expect(look.message).toContain('"map-4.png" and 7 more');
  });

  it.each([
    ['obj', Buffer.from(`mtllib ${'a b '.repeat(16_000)}`)],
    ['obj', Buffer.from(`mtllib ${'.mtl'.repeat(16_000)}`)],
    ['fbx', Buffer.from(`; FBX${'\nContent: '.repeat(100_000)}`)],
    ['fbx', Buffer.from(`; FBX\n${' '.repeat(1_000_000)}`)],
    ['dae', Buffer.from('<image>'.repeat(100_000))],
    ['usda', Buffer.from(`#usda ${'@a'.repeat(500_000)}`)],
    ['3ds', Buffer.alloc(1_000_000)],
    ['fbx', fbx(7_400, ...Array.from({ length: 50_000 }, () => record('Objects', [])))],
  ])('the search in a hostile .%s file takes little work', async (fileType, bytes) => {
    const before = process.cpuUsage();
    await findSideFiles(toBufferSource(bytes), fileType, async () =>
      Buffer.from(`map_Kd ${'-s -1 -1 '.repeat(20_000)}`),
    );
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(3_000);
  });
});

it('a 3DS file with distant chunks is abandoned after a hundred reads', async () => {
  let reads = 0;
  const chunk = Buffer.from([0, 0, 0, 0, 2, 0]);
  const source = {
    size: 4 * 1024 ** 3,
    read: async () => {
      reads += 1;
      return chunk;
    },
  };
  expect(await findSideFiles(source, '3ds')).toEqual([]);
  expect(reads).toBe(101);
});
