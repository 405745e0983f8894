// Deletable resources that creating calls have made, known from their operations alone. Pure.
import { idFields, kindCreatedBy } from '../../api/resources.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { Intent } from './intents.ts';

export interface CreatedResource extends PlatformResource {
  /** The asset that the resource was created for. */
  key: string;
}

/** Includes abandoned calls that had got a response. */
export function resourcesOfCall({ operation, result = {} }: Intent): CreatedResource[] {
  const kind = kindCreatedBy(operation);
  if (kind === null) return [];
  return Object.entries(result).flatMap(([key, platformIds]) => {
    const id = platformIds[idFields[kind]];
    return id === undefined ? [] : [{ kind, id, key }];
  });
}
