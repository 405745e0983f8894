// Deleting library items for good, with their files and what referred to them (4.10).
import type { Sandbox } from '../sandbox.ts';
import { texturesOf } from './materials.ts';
import type { DecalRecord, MaterialRecord, PropRecord } from './records.ts';

export async function deleteProp({ store, files }: Sandbox, prop: PropRecord): Promise<void> {
  store.props.remove(prop.id);
  await files.remove(prop.uploadKey);
}

export async function deleteDecal({ store, files }: Sandbox, decal: DecalRecord): Promise<void> {
  store.decals.remove(decal.id);
  await files.remove(decal.uploadKey);
}

export async function deleteMaterial(
  { store, files }: Sandbox,
  material: MaterialRecord,
): Promise<void> {
  store.materials.remove(material.id);
  for (const [, { uploadKey }] of texturesOf(material)) await files.remove(uploadKey);
}
