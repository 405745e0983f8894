// Converts glTF materials for the rasterizer, with those extensions that it draws.
import {
  type Document,
  type Material,
  type Texture,
  type TextureInfo,
  TextureInfo as TextureInfoClass,
} from '@gltf-transform/core';
import type {
  Clearcoat,
  PBRSpecularGlossiness,
  Sheen,
  Transform,
  Transmission,
} from '@gltf-transform/extensions';
import type { Rgb, SceneMaterial, SceneTexture, TextureWrap } from './scene-types.ts';

type TextureIds = ReadonlyMap<Texture, number>;

function wrapOf(mode: number): TextureWrap {
  if (mode === TextureInfoClass.WrapMode['CLAMP_TO_EDGE']) return 'clamp';
  return mode === TextureInfoClass.WrapMode['MIRRORED_REPEAT'] ? 'mirror' : 'repeat';
}

function toTexture(
  texture: Texture | null,
  info: TextureInfo | null,
  ids: TextureIds,
): SceneTexture | null {
  const image = texture?.getImage();
  if (texture === null || info === null || !image || image.byteLength === 0) return null;
  const transform = info.getExtension<Transform>('KHR_texture_transform');
  const texCoord = transform?.getTexCoord() ?? info.getTexCoord();
  return {
    id: ids.get(texture) ?? -1,
    image,
    texCoord: texCoord === 1 ? 1 : 0,
    transform: transform === null ? null : computeUvMatrix(transform),
    wrapU: wrapOf(info.getWrapS()),
    wrapV: wrapOf(info.getWrapT()),
  };
}

function computeUvMatrix(transform: Transform): SceneTexture['transform'] {
  const [offsetU, offsetV] = transform.getOffset();
  const [scaleU, scaleV] = transform.getScale();
  const cos = Math.cos(transform.getRotation());
  const sin = Math.sin(transform.getRotation());
  return [cos * scaleU, -sin * scaleU, sin * scaleV, cos * scaleV, offsetU, offsetV];
}

function toRgb(values: readonly number[]): Rgb {
  return [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0];
}

function readMaterial(material: Material, ids: TextureIds): SceneMaterial {
  const gloss = material.getExtension<PBRSpecularGlossiness>('KHR_materials_pbrSpecularGlossiness');
  const factor = gloss?.getDiffuseFactor() ?? material.getBaseColorFactor();
  const sheen = material.getExtension<Sheen>('KHR_materials_sheen');
  const transmission = material.getExtension<Transmission>('KHR_materials_transmission');
  const clearcoat = material.getExtension<Clearcoat>('KHR_materials_clearcoat');
  const read = (texture: Texture | null, info: TextureInfo | null) => toTexture(texture, info, ids);
  return {
    name: material.getName() === '' ? null : material.getName(),
    baseColor: toRgb(factor),
    alpha: factor[3] ?? 1,
    baseColorTexture:
      gloss === null
        ? read(material.getBaseColorTexture(), material.getBaseColorTextureInfo())
        : read(gloss.getDiffuseTexture(), gloss.getDiffuseTextureInfo()),
    metallic: gloss === null ? material.getMetallicFactor() : 0,
    roughness: gloss === null ? material.getRoughnessFactor() : 1 - gloss.getGlossinessFactor(),
    metalRoughTexture: read(
      material.getMetallicRoughnessTexture(),
      material.getMetallicRoughnessTextureInfo(),
    ),
    normalTexture: read(material.getNormalTexture(), material.getNormalTextureInfo()),
    normalScale: material.getNormalScale(),
    occlusionTexture: read(material.getOcclusionTexture(), material.getOcclusionTextureInfo()),
    emissive: toRgb(material.getEmissiveFactor()),
    emissiveTexture: read(material.getEmissiveTexture(), material.getEmissiveTextureInfo()),
    alphaMode: material.getAlphaMode(),
    alphaCutoff: material.getAlphaCutoff(),
    doubleSided: material.getDoubleSided(),
    unlit: material.getExtension('KHR_materials_unlit') !== null,
    transmission: transmission?.getTransmissionFactor() ?? 0,
    clearcoat: clearcoat?.getClearcoatFactor() ?? 0,
    sheen: toRgb(sheen?.getSheenColorFactor() ?? []),
  };
}

/** Reads the document's materials in file order, which are the slots of the model. */
export function readMaterials(document: Document): readonly SceneMaterial[] {
  const root = document.getRoot();
  const ids = new Map(root.listTextures().map((texture, index) => [texture, index]));
  return root.listMaterials().map((material) => readMaterial(material, ids));
}
