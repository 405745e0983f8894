// Inspects every real and every broken file of the shared data folder.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  fileTypeOf,
  inspectBytes,
  inspectModelFile,
  type ModelInspection,
} from '../../src/glb/inspect-model.ts';
import { hasSharedData, type ModelRow, sharedPath, sharedRows } from './_shared-data.ts';

const models = sharedRows<ModelRow>('models.jsonl');
const broken = sharedRows<ModelRow>('invalid.jsonl');

function refersOutside(look: ModelInspection, row: ModelRow): boolean {
  return look.container === 'gltf' && (row.images ?? []).some(({ uri }) => uri !== undefined);
}

describe.skipIf(!hasSharedData)('broken and unusual files', () => {
  it('the shared data contains broken and unusual files', () => {
    expect(broken.length).toBeGreaterThan(10);
    expect(models.length).toBeGreaterThan(10);
  });

  it.each(broken)(
    'the file $file gets the verdict $expect.verdict at $expect.level',
    async (row) => {
      const look = await inspectModelFile(sharedPath(row.file));
      expect({ verdict: look.verdict, level: look.level }).toEqual(row.expect);
      expect(look.bytes).toBe(row.bytes);
      expect(look.code === null).toBe(row.expect?.verdict === 'accept');
      if (row.expect?.verdict === 'reject') expect(look.message).not.toBe('');
    },
  );

  it.each([
    ['invalid/validator-glb/chunk_too_big.glb', 'CHUNK_TOO_BIG'],
    ['invalid/validator-glb/empty_file.glb', 'EMPTY_FILE'],
    ['invalid/validator-glb/invalid_json_chunk.glb', 'INVALID_JSON'],
    ['invalid/validator-glb/invalid_magic.glb', 'NOT_A_GLB'],
    ['invalid/validator-glb/invalid_version.glb', 'UNSUPPORTED_VERSION'],
    ['invalid/validator-glb/length_mismatch.glb', 'TRUNCATED'],
    ['invalid/validator-glb/only_header.glb', 'NO_JSON_CHUNK'],
    ['invalid/validator-glb/truncated_chunk_data.glb', 'TRUNCATED'],
    ['invalid/validator-glb/unknown_chunk.glb', 'NO_JSON_CHUNK'],
    ['invalid/validator-variants/primitive-empties.gltf', 'INVALID_VARIANTS'],
    ['invalid/validator-variants/variant-invalid_name.gltf', 'INVALID_VARIANTS'],
  ])('the file %s is refused with %s', async (file, code) => {
    expect((await inspectModelFile(sharedPath(file))).code).toBe(code);
  });
});

describe.skipIf(!hasSharedData)('real models', () => {
  it.each(models)(
    'the file $file is accepted unless its geometry is in another file',
    async (row) => {
      const look = await inspectModelFile(sharedPath(row.file));
      if (refersOutside(look, row)) {
        expect(look).toMatchObject({ verdict: 'reject', code: 'EXTERNAL_BUFFER' });
        return;
      }
      expect(look).toMatchObject({
        code: null,
        container: row.container,
        bytes: row.bytes,
        materials: row.materials,
        variants: row.variants,
        meshes: row.meshes,
        nodes: row.nodes,
        triangles: row.trianglesOfListPrimitives,
        images: row.images?.length,
        animations: row.animations,
        extensionsRequired: row.extensionsRequired,
        generator: row.generator,
      });
      const losesTextures = (row.images ?? []).some(({ uri }) => uri !== undefined);
      expect(look.verdict).toBe(losesTextures ? 'accept-with-warning' : 'accept');
    },
  );

  it.each(models)(
    'the file $file gets the same verdict from memory and from disk',
    async ({ file }) => {
      const path = sharedPath(file);
      expect(await inspectBytes(readFileSync(path), fileTypeOf(path))).toEqual(
        await inspectModelFile(path),
      );
    },
  );

  it('the result for kenney-coin.glb identifies its missing texture', async () => {
    const look = await inspectModelFile(sharedPath('models/kenney-coin.glb'));
    expect(look.warnings.map(({ code }) => code)).toEqual(['EXTERNAL_TEXTURE']);
    expect(look.message).toContain('"Textures/colormap.png"');
  });

  it('the result for couch.gltf identifies the buffer that it needs', async () => {
    const look = await inspectModelFile(sharedPath('models/kaykit-couch/couch.gltf'));
    expect(look.message).toContain('"couch.bin"');
  });

  it.each([
    ['models/kaykit-couch/couch.fbx', ['"furniturebits_texture.png"']],
    ['models/kaykit-couch/couch.obj', ['"couch.mtl"']],
    ['models/texture-cat-plane.usdz', []],
  ])(
    'the file %s is accepted as another format, without its companion files',
    async (file, beside) => {
      const look = await inspectModelFile(sharedPath(file));
      expect(look).toMatchObject({ code: null, container: 'other' });
      expect(look.warnings).toHaveLength(beside.length);
      for (const name of beside) expect(look.message).toContain(name);
    },
  );
});
