// A ball with a material as a GLB, so that the model renderer can draw material thumbnails.
import { Document, NodeIO } from '@gltf-transform/core';
import sharp from 'sharp';
import { linearOfHex } from '../drawing/color.ts';
import type { MaterialLook } from '../drawing/materials/material-swap.ts';

const rings = 32;
const segments = 64;

/** Textures are scaled to this number of pixels per side, which is enough for a thumbnail. */
const textureSide = 512;

/** How often the texture repeats around the ball (u) and from pole to pole (v). */
const repeats = { u: 2, v: 1 };

export async function buildMaterialBall(look: MaterialLook): Promise<Uint8Array> {
  const document = new Document();
  const buffer = document.createBuffer();
  const { positions, uvs, indices } = sphere();
  const accessor = (type: 'VEC3' | 'VEC2' | 'SCALAR', array: Float32Array | Uint16Array) =>
    document.createAccessor().setType(type).setArray(array).setBuffer(buffer);
  const place = accessor('VEC3', positions);
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', place)
    // On a unit sphere the position of a point is also its normal.
    .setAttribute('NORMAL', place)
    .setAttribute('TEXCOORD_0', accessor('VEC2', uvs))
    .setIndices(accessor('SCALAR', indices))
    .setMaterial(await createMaterial(document, look));
  const mesh = document.createMesh('ball').addPrimitive(primitive);
  document.createScene().addChild(document.createNode('ball').setMesh(mesh));
  return new NodeIO().writeBinary(document);
}

async function createMaterial(document: Document, look: MaterialLook) {
  const { diffuse, normal, roughness, metallic, opacity } = look.textures;
  const material = document.createMaterial('worn').setMetallicFactor(0).setRoughnessFactor(0.6);
  const texture = (image: Uint8Array) =>
    document.createTexture().setImage(image).setMimeType('image/png');
  if (diffuse === undefined) material.setBaseColorFactor([...linearOfHex(look.colorHex), 1]);
  else material.setBaseColorTexture(texture(await createColorImage(diffuse, opacity)));
  if (opacity !== undefined) material.setAlphaMode('MASK');
  if (normal !== undefined)
    material.setNormalTexture(texture(await readSmallImage(normal).removeAlpha().png().toBuffer()));
  if (roughness !== undefined && metallic !== undefined) {
    material
      .setMetallicFactor(1)
      .setRoughnessFactor(1)
      .setMetallicRoughnessTexture(texture(await createMetalRoughImage(roughness, metallic)));
  }
  return material;
}

function readSmallImage(path: string) {
  return sharp(path).autoOrient().resize({ width: textureSide, height: textureSide, fit: 'fill' });
}

/** One channel of a grey image as raw bytes. */
function readGreyImage(path: string): Promise<Buffer> {
  return readSmallImage(path).removeAlpha().greyscale().toColourspace('b-w').raw().toBuffer();
}

const raw = { width: textureSide, height: textureSide, channels: 1 } as const;

/** The colour image with the opacity as its alpha. */
async function createColorImage(diffuse: string, opacity: string | undefined): Promise<Buffer> {
  const color = readSmallImage(diffuse).removeAlpha().toColourspace('srgb');
  if (opacity === undefined) return color.png().toBuffer();
  // In two steps: sharp removes the alpha last in a pipeline, and would remove the new one too.
  const alpha = await readGreyImage(opacity);
  const pixels = await color.raw().toBuffer();
  return sharp(pixels, { raw: { ...raw, channels: 3 } })
    .joinChannel(alpha, { raw })
    .png()
    .toBuffer();
}

/** glTF packs roughness into green and metallic into blue. */
async function createMetalRoughImage(roughness: string, metallic: string): Promise<Buffer> {
  const [rough, metal] = await Promise.all([readGreyImage(roughness), readGreyImage(metallic)]);
  const pixels = Buffer.alloc(rough.length * 3);
  for (let index = 0; index < rough.length; index += 1) {
    pixels[index * 3 + 1] = rough[index] ?? 0;
    pixels[index * 3 + 2] = metal[index] ?? 0;
  }
  return sharp(pixels, { raw: { ...raw, channels: 3 } })
    .png()
    .toBuffer();
}

function sphere() {
  const positions: number[] = [];
  const uvs: number[] = [];
  const indices: number[] = [];
  for (let ring = 0; ring <= rings; ring += 1) {
    const polar = (ring / rings) * Math.PI;
    for (let segment = 0; segment <= segments; segment += 1) {
      const around = (segment / segments) * 2 * Math.PI;
      positions.push(
        -Math.sin(polar) * Math.sin(around),
        Math.cos(polar),
        -Math.sin(polar) * Math.cos(around),
      );
      uvs.push((segment / segments) * repeats.u, (ring / rings) * repeats.v);
      if (ring === rings || segment === segments) continue;
      const here = ring * (segments + 1) + segment;
      const below = here + segments + 1;
      indices.push(here, below, here + 1, here + 1, below, below + 1);
    }
  }
  return {
    positions: new Float32Array(positions),
    uvs: new Float32Array(uvs),
    indices: new Uint16Array(indices),
  };
}
