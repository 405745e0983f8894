// Deletable resources that creating calls have made, known from their operations alone. Pure.
import { idFields, kindMadeBy } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Intent } from './intents.ts';

export interface MadeThing extends PlatformThing {
  /** The asset that the resource was created for. */
  key: string;
}

/** Includes abandoned calls that had got a response. */
export function madeBy({ operation, answer = {} }: Intent): MadeThing[] {
  const kind = kindMadeBy(operation);
  if (kind === null) return [];
  return Object.entries(answer).flatMap(([key, refs]) => {
    const id = refs[idFields[kind]];
    return id === undefined ? [] : [{ kind, id, key }];
  });
}
