// Records of withdrawn assets. They stay records: what was made stands, and an asset that comes back is delivered again without
// being paid for. Their names say so, so that a listing tells them from delivered ones. Pure.
import type { RecordName } from '../objects/object-name.ts';

/**
 * `leaving`: its files are being withdrawn, and any of them may lie here or there. `withdrawn`: those that it names are archived, or
 * stay.
 */
export type WithdrawalState = 'leaving' | 'withdrawn';

/** Of a record that is not, or not any more, of a delivered asset. */
export interface Withdrawn {
  state: WithdrawalState;
  /** The run that withdrew it. */
  run: string;
  /** ISO 8601. */
  at: string;
  archived: number;
  deleted: number;
}

const states: readonly WithdrawalState[] = ['leaving', 'withdrawn'];

/** The state that the name of a record says; null for one of a delivered asset. */
export function withdrawalOf({ recipe }: Pick<RecordName, 'recipe'>): WithdrawalState | null {
  return states.find((state) => recipe.endsWith(`.${state}`)) ?? null;
}

/** The recipe in the name of a record, without its state. */
export function madeUnder(entry: Pick<RecordName, 'recipe'>): string {
  const state = withdrawalOf(entry);
  return state === null ? entry.recipe : entry.recipe.slice(0, -state.length - 1);
}

/** The name of a record in another state; null: delivered. */
export function nameInState(name: string, state: WithdrawalState | null): string {
  const plain = name.replace(/(?:\.(?:leaving|withdrawn))?\.json$/, '');
  return state === null ? `${plain}.json` : `${plain}.${state}.json`;
}
