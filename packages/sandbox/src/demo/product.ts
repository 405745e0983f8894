// A product as meshes with named slots, written as a GLB.
import { Document, type Material, NodeIO } from '@gltf-transform/core';
import { KHRMaterialsVariants } from '@gltf-transform/extensions';
import { linearOfHex } from '../drawing/color.ts';
import type { Mesh } from './mesh.ts';

export type Finish = {
  /** Name of the slot, as matched by colorways. */
  readonly name: string;
  /** sRGB hex. It is multiplied with the texture if there is one. */
  readonly color: string;
  readonly roughness: number;
  readonly metallic?: number;
  /** Bytes of a PNG. */
  readonly texture?: Uint8Array;
  readonly glow?: string;
};

export type ProductPart = {
  readonly name: string;
  readonly mesh: Mesh;
  readonly finish: Finish;
};

export type Product = {
  readonly name: string;
  readonly parts: readonly ProductPart[];
  /** Finishes of some parts, by variant name. The first variant should repeat the parts' own finishes. */
  readonly variants?: Readonly<Record<string, Readonly<Record<string, Finish>>>>;
};

type GlbBuilder = { readonly document: Document; readonly materials: Map<Finish, Material> };

/** Writes a product as GLB. The same product always results in the same bytes. */
export async function encodeProduct(product: Product): Promise<Uint8Array> {
  const document = new Document();
  document.createBuffer();
  const maker: GlbBuilder = { document, materials: new Map() };
  const scene = document.createScene(product.name);
  const root = document.createNode(product.name);
  scene.addChild(root);
  document.getRoot().setDefaultScene(scene);
  const primitives = new Map(
    product.parts.map((part) => {
      const primitive = makePrimitive(maker, part);
      const mesh = document.createMesh(part.name).addPrimitive(primitive);
      root.addChild(document.createNode(part.name).setMesh(mesh));
      return [part.name, primitive];
    }),
  );
  addVariants(maker, product, primitives);
  const io = new NodeIO().registerExtensions([KHRMaterialsVariants]);
  return io.writeBinary(document);
}

function makePrimitive(builder: GlbBuilder, { mesh, finish }: ProductPart) {
  const { document } = builder;
  const createAccessor = (type: 'VEC2' | 'VEC3', values: readonly (readonly number[])[]) =>
    document.createAccessor().setType(type).setArray(Float32Array.from(values.flat()));
  const indices = document
    .createAccessor()
    .setType('SCALAR')
    .setArray(Uint32Array.from(mesh.indices));
  return document
    .createPrimitive()
    .setAttribute('POSITION', createAccessor('VEC3', mesh.positions))
    .setAttribute('NORMAL', createAccessor('VEC3', mesh.normals))
    .setAttribute('TEXCOORD_0', createAccessor('VEC2', mesh.uvs))
    .setIndices(indices)
    .setMaterial(makeMaterial(builder, finish));
}

function makeMaterial({ document, materials }: GlbBuilder, finish: Finish): Material {
  const existingMaterial = materials.get(finish);
  if (existingMaterial !== undefined) return existingMaterial;
  const material = document
    .createMaterial(finish.name)
    .setBaseColorFactor([...linearOfHex(finish.color), 1])
    .setMetallicFactor(finish.metallic ?? 0)
    .setRoughnessFactor(finish.roughness);
  if (finish.glow !== undefined) material.setEmissiveFactor([...linearOfHex(finish.glow)]);
  if (finish.texture !== undefined) {
    const texture = document
      .createTexture(`${finish.name} colour`)
      .setImage(Uint8Array.from(finish.texture))
      .setMimeType('image/png');
    material.setBaseColorTexture(texture);
  }
  materials.set(finish, material);
  return material;
}

function addVariants(
  builder: GlbBuilder,
  product: Product,
  primitives: ReadonlyMap<string, ReturnType<typeof makePrimitive>>,
): void {
  if (product.variants === undefined) return;
  const extension = builder.document.createExtension(KHRMaterialsVariants);
  const listsByPart = new Map<string, ReturnType<KHRMaterialsVariants['createMappingList']>>();
  for (const [name, finishes] of Object.entries(product.variants)) {
    const variant = extension.createVariant(name);
    for (const [part, finish] of Object.entries(finishes)) {
      const mapping = extension.createMapping().setMaterial(makeMaterial(builder, finish));
      mapping.addVariant(variant);
      const list = listsByPart.get(part) ?? extension.createMappingList();
      listsByPart.set(part, list.addMapping(mapping));
    }
  }
  for (const [part, list] of listsByPart) {
    primitives.get(part)?.setExtension('KHR_materials_variants', list);
  }
}
