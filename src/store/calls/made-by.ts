// What creating calls have made that can be deleted again, told by their operations alone. Pure.
import type { PlatformThing } from '../../plan/contract.ts';
import { idFields } from '../records/platform-things.ts';
import type { Intent } from './intents.ts';

export interface MadeThing extends PlatformThing {
  /** Asset that it was made for. */
  key: string;
}

/** Only these: what another call answers with, it may have been given. */
const kindMadeBy: Readonly<Record<string, PlatformThing['kind'] | undefined>> = {
  createJob: 'model',
  createModels: 'model',
  createProjects: 'project',
  createProps: 'prop',
  createDecals: 'decal',
  createMaterial: 'material',
};

/** Also of a call that was given up after its answer had come. */
export function madeBy({ operation, answer = {} }: Intent): MadeThing[] {
  const kind = kindMadeBy[operation];
  if (kind === undefined) return [];
  return Object.entries(answer).flatMap(([key, refs]) => {
    const id = refs[idFields[kind]];
    return id === undefined ? [] : [{ kind, id, key }];
  });
}
