// Formats other than glTF: each case has one broken part, and the expected code of the refusal.
import { describe, expect, it } from 'vitest';
import { inspectBytes } from '../../src/glb/inspect-model.ts';
import { triangleGlb } from './_make-glb.ts';
import { zipOf } from './_zip.ts';

describe('other formats', () => {
  const zip = Buffer.from([0x50, 0x4b, 3, 4, 0, 0]);
  const usdz = zipOf({ 'scene.usda': '#usda 1.0' });
  const fbxText =
    '; FBX 7.4.0 project file {\nObjects: {\n\tGeometry: 1, "a {", "Mesh" {\n\t}\n}\n';
  const stlText = `solid chair
  facet normal 0 0 1
    outer loop
      vertex 0 0 0
      vertex 1 0 0
      vertex 0 1 0
    endloop
  endfacet
endsolid chair
`;
  const binaryStl = (triangles: number, header = 'made by hand') => {
    const bytes = Buffer.alloc(84 + 50 * triangles);
    bytes.write(header);
    bytes.writeUInt32LE(triangles, 80);
    return bytes;
  };
  it.each([
    ['usdz', usdz, null],
    ['usdz', Buffer.concat([usdz, Buffer.alloc(512)]), null],
    ['usdz', usdz.subarray(0, 60), 'TRUNCATED'],
    ['usdz', zipOf({ 'readme.txt': 'no model' }), 'NOT_A_ZIP'],
    ['usdz', Buffer.from('#usda 1.0'), 'NOT_A_ZIP'],
    ['usdz', Buffer.from('PK'), 'NOT_A_ZIP'],
    ['fbx', Buffer.from('Kaydara FBX Binary  \0\x1a\0'), 'TRUNCATED'],
    ['fbx', Buffer.from(fbxText), null],
    ['fbx', Buffer.from(fbxText.slice(0, -9)), 'TRUNCATED'],
    ['fbx', Buffer.from('; FBX 7.4.0 project file {'), 'NO_GEOMETRY'],
    ['fbx', zip, 'NOT_AN_FBX'],
    ['fbx', Buffer.from('<html>not found</html>'), 'NOT_AN_FBX'],
    ['obj', Buffer.from('v 0 0 0\nf 1 1 1\n'), null],
    ['obj', zip, 'NOT_AN_OBJ'],
    ['obj', Buffer.from('# nothing\no chair\n'), 'NO_GEOMETRY'],
    ['obj', Buffer.from(`${'# a long comment\n'.repeat(9_000)}v -.5 0 1\nf 1 1 1\n`), null],
    ['stl', Buffer.from(stlText), null],
    ['stl', Buffer.from(stlText.replaceAll('\n', '\r\n').toUpperCase()), null],
    ['stl', Buffer.from(stlText.slice(0, 60)), 'TRUNCATED'],
    ['stl', Buffer.from(stlText.slice(0, -30)), 'TRUNCATED'],
    ['stl', Buffer.from('solid a\nendsolid a\n'), 'NO_GEOMETRY'],
    ['stl', binaryStl(2), null],
    ['stl', binaryStl(2, 'solid in name alone'), null],
    ['stl', Buffer.from(`\ufeff${stlText}`), null],
    ['stl', Buffer.concat([binaryStl(2), Buffer.alloc(9)]), null],
    ['stl', binaryStl(2).subarray(0, -1), 'TRUNCATED'],
    ['stl', binaryStl(2).subarray(0, 40), 'TRUNCATED'],
    ['stl', binaryStl(0), 'NO_GEOMETRY'],
    ['stl', triangleGlb(), 'TRUNCATED'],
    ['stl', Buffer.alloc(0), 'EMPTY_FILE'],
    ['dae', Buffer.from('<?xml version="1.0"?><COLLADA></COLLADA>\n'), null],
    ['dae', Buffer.from('<?xml version="1.0"?><COLLADA></COLLADA>', 'utf16le'), null],
    ['dae', Buffer.from('<?xml version="1.0"?><COLLADA><geometry'), 'TRUNCATED'],
    ['zip', usdz, null],
    ['zip', usdz.subarray(0, 60), 'TRUNCATED'],
    ['3mf', usdz.subarray(0, 60), 'TRUNCATED'],
    ['', Buffer.from('anything'), null],
  ])('inspectBytes() returns the expected result for a .%s file', async (fileType, bytes, code) => {
    const look = await inspectBytes(bytes, fileType);
    expect({ code: look.code, container: look.container }).toEqual({ code, container: 'other' });
  });

  const vertices = 'o chair\nv 0 0 0\nv 1 0 0\nvt 0 0\nvn 0 0 1\n';
  it.each([
    ['in its vertices', vertices.slice(0, 16), ['UNUSED_VERTICES']],
    ['before its faces', `${vertices}usemtl Oak\r\ns off\r\n# 1 mesh`, ['UNUSED_VERTICES']],
    ['in its second mesh', `${vertices}f 1 2 3\no leg\nv 0 0 1`, ['UNUSED_VERTICES']],
    ['with a face', `${vertices}f 1 2 3`, []],
    ['with a line and a comment', `${vertices}l 1 2\n# v 1 2 3\n`, []],
    ['with a curve', `${vertices}curv 0 1 1 2\nparm u 0 1\nend\n`, []],
    ['without geometry', '# empty\n', []],
  ])('an OBJ that ends %s gets the expected warnings', async (_, text, codes) => {
    const look = await inspectBytes(Buffer.from(text), 'obj');
    expect(look.warnings.map(({ code }) => code)).toEqual(codes);
  });
});
