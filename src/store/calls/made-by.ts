// Things that creating calls have made and that can be deleted again, told by their operations alone. Pure.
import { idFields, kindMadeBy } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Intent } from './intents.ts';

export interface MadeThing extends PlatformThing {
  /** Asset that it was made for. */
  key: string;
}

/** Includes calls that were given up after their answer had come. */
export function madeBy({ operation, answer = {} }: Intent): MadeThing[] {
  const kind = kindMadeBy(operation);
  if (kind === null) return [];
  return Object.entries(answer).flatMap(([key, refs]) => {
    const id = refs[idFields[kind]];
    return id === undefined ? [] : [{ kind, id, key }];
  });
}
