// Finds the resource that a request names.
import { fail } from '../http/failure.ts';
import type { DecalRecord, MaterialRecord } from '../state/library-records.ts';
import type { ModelRecord, ProjectRecord } from '../state/records.ts';
import type { Sandbox } from './sandbox.ts';

/** The model with this id. @throws ApiFailure MODEL_NOT_FOUND */
export function findModel({ store }: Sandbox, modelId: string): ModelRecord {
  return store.models.get(modelId) ?? fail('MODEL_NOT_FOUND', `There is no model ${modelId}.`);
}

/** The project with this id. @throws ApiFailure PROJECT_NOT_FOUND */
export function findProject({ store }: Sandbox, projectId: string): ProjectRecord {
  return (
    store.projects.get(projectId) ?? fail('PROJECT_NOT_FOUND', `There is no project ${projectId}.`)
  );
}

/** The decal with this id. @throws ApiFailure NOT_FOUND */
export function findDecal({ store }: Sandbox, decalId: string): DecalRecord {
  return store.decals.get(decalId) ?? fail('NOT_FOUND', `There is no decal ${decalId}.`);
}

/** The material with this id. @throws ApiFailure NOT_FOUND */
export function findMaterial({ store }: Sandbox, materialId: string): MaterialRecord {
  return (
    store.materials.get(materialId) ?? fail('NOT_FOUND', `There is no material ${materialId}.`)
  );
}
