// Reads bytes into a glTF-Transform document. The bytes are inspected first, and no other file is read.
import { createRequire } from 'node:module';
import { type Document, type GLTF, type JSONDocument, Logger, NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { isDataUri } from 'renderline/glb/buffer-bounds';
import { toBufferSource } from 'renderline/glb/byte-source';
import { hasGlbMagic, readGlbContainer } from 'renderline/glb/container';
import { decodeJsonText } from 'renderline/glb/gltf-json';
import { inspectBytes } from 'renderline/glb/inspect-model';
import { maxObjects } from 'renderline/sandbox/bounds';
import { ModelUnreadableError } from './scene-types.ts';

const binResource = '@glb.bin';
const lostImage = '@lost-image.png';
const draco = 'KHR_draco_mesh_compression';

/** WebAssembly modules that are passed on to glTF-Transform. */
interface DracoModules {
  createDecoderModule(): Promise<object>;
}

async function createReader(json: GLTF.IGLTF): Promise<NodeIO> {
  const dependencies: Record<string, unknown> = {};
  if (json.extensionsUsed?.includes('EXT_meshopt_compression') === true) {
    await MeshoptDecoder.ready;
    dependencies['meshopt.decoder'] = MeshoptDecoder;
  }
  if (json.extensionsUsed?.includes(draco) === true) {
    // The module is loaded only for files that need it. It has no types.
    const require = createRequire(import.meta.url);
    const modules = require('draco3dgltf') as DracoModules;
    dependencies['draco3d.decoder'] = await modules.createDecoderModule();
  }
  return new NodeIO()
    .setLogger(new Logger(Logger.Verbosity.SILENT))
    .registerExtensions(ALL_EXTENSIONS)
    .registerDependencies(dependencies);
}

async function readParts(bytes: Uint8Array): Promise<JSONDocument> {
  const { json, bin } = hasGlbMagic(bytes)
    ? await readGlbContainer(toBufferSource(bytes))
    : { json: bytes, bin: null };
  // The cast is safe, since the inspection has checked the JSON.
  const root = JSON.parse(decodeJsonText(json)) as GLTF.IGLTF;
  if (bin === null) return { json: root, resources: {} };
  // The bytes are copied, because typed arrays need aligned offsets.
  const data = new Uint8Array(bytes.slice(bin.offset, bin.offset + bin.bytes));
  return { json: root, resources: { [binResource]: data } };
}

/** Reads a GLB or self-contained .gltf. External textures become empty images. @throws ModelUnreadableError */
export async function readDocument(bytes: Uint8Array, fileType: string): Promise<Document> {
  const look = await inspectBytes(bytes, fileType);
  if (look.verdict === 'reject' || look.container === 'other') {
    const message =
      look.message || `A .${fileType} file cannot be read; only .glb and .gltf files can.`;
    throw new ModelUnreadableError(look.code ?? 'NO_READER', message);
  }
  const parts = await readParts(bytes);
  const lists = Object.values(parts.json).filter((part) => Array.isArray(part));
  if (lists.reduce((sum, list) => sum + list.length, 0) > maxObjects) {
    const message = `The model has more than ${maxObjects} nodes and parts.`;
    throw new ModelUnreadableError('TOO_MANY_OBJECTS', message);
  }
  for (const image of parts.json.images ?? []) {
    if (image.bufferView !== undefined || isDataUri(image.uri ?? '')) continue;
    image.uri = lostImage;
    parts.resources[lostImage] ??= new Uint8Array(0);
  }
  try {
    return await (await createReader(parts.json)).readJSON(parts);
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const message = `The model cannot be decoded: ${cause}`;
    throw new ModelUnreadableError('UNDECODABLE', message, { cause: error });
  }
}
