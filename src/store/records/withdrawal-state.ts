// Records of withdrawn assets. They are kept, because the platform resources still exist and an asset that reappears is
// then delivered again without new paid work. The state is part of the record's name, so that a listing distinguishes
// withdrawn assets from delivered ones. Pure.
import type { RecordName } from '../objects/object-name.ts';

/** `leaving`: each file may still be at its old path. `withdrawn`: the files are archived, or stay. */
export type WithdrawalState = 'leaving' | 'withdrawn';

export interface Withdrawal {
  state: WithdrawalState;
  run: string;
  /** Time in ISO 8601 format. */
  at: string;
  archived: number;
  deleted: number;
}

const states: readonly WithdrawalState[] = ['leaving', 'withdrawn'];

/** Returns the state in the name of a record, or null for a delivered asset. */
export function findWithdrawal({ recipe }: Pick<RecordName, 'recipe'>): WithdrawalState | null {
  return states.find((state) => recipe.endsWith(`.${state}`)) ?? null;
}

/** Returns the recipe in the name of a record, without its state. */
export function plainRecipeOf(entry: Pick<RecordName, 'recipe'>): string {
  const state = findWithdrawal(entry);
  return state === null ? entry.recipe : entry.recipe.slice(0, -state.length - 1);
}

/** Returns the name of a record in another state. A null state means delivered. */
export function nameInState(name: string, state: WithdrawalState | null): string {
  const plain = name.replace(/(?:\.(?:leaving|withdrawn))?\.json$/, '');
  return state === null ? `${plain}.json` : `${plain}.${state}.json`;
}
