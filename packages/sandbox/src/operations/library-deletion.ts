// Deletes library items with their files and all references to them.
import { failJobsOfMaterial } from '../colorways/deletion.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { texturesOf } from '../library/materials.ts';
import { deleteAssetValues } from '../properties/values.ts';
import type { DecalRecord, MaterialRecord, PropRecord } from '../state/library-records.ts';
import { removeLogo } from '../variants/variants.ts';

export async function deleteProp(sandbox: Sandbox, prop: PropRecord): Promise<void> {
  const { store, files } = sandbox;
  store.props.remove(prop.id);
  deleteAssetValues(sandbox, 'PROP', prop.id);
  await files.remove(prop.uploadKey);
}

export async function deleteDecal(sandbox: Sandbox, decal: DecalRecord): Promise<void> {
  const { store, files } = sandbox;
  store.decals.remove(decal.id);
  deleteAssetValues(sandbox, 'DECAL', decal.id);
  removeLogo(sandbox, decal.id);
  await files.remove(decal.uploadKey);
}

export async function deleteMaterial(
  sandbox: Sandbox,
  material: MaterialRecord,
  nowMs: number,
): Promise<void> {
  const { store, files } = sandbox;
  store.materials.remove(material.id);
  deleteAssetValues(sandbox, 'MATERIAL', material.id);
  failJobsOfMaterial(sandbox, material.id, nowMs);
  for (const [, { uploadKey }] of texturesOf(material)) await files.remove(uploadKey);
}
