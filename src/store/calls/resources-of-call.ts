import { idFields, kindCreatedBy } from '../../api/resources.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { Intent } from './intents.ts';

export interface CreatedResource extends PlatformResource {
  /** Key of the asset that the resource was created for, or the key that its cells share. */
  key: string;
}

/** The resources that a call has created, also if it was abandoned after its response. */
export function resourcesOfCall({ operation, result = {} }: Intent): CreatedResource[] {
  const kind = kindCreatedBy(operation);
  if (kind === null) return [];
  return Object.entries(result).flatMap(([key, platformIds]) => {
    const id = platformIds[idFields[kind]];
    return id === undefined ? [] : [{ kind, id, key }];
  });
}
