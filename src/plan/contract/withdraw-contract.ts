// Input and result of the activity that withdraws products. Types only.
import type { RunContext } from '../run/run-context.ts';
import type { Plan } from '../types.ts';
import type { WithdrawalRules, WithdrawnCounts } from '../withdrawal.ts';

export interface WithdrawInput {
  context: RunContext;
  discovery: Plan['discovery'];
  rules: WithdrawalRules;
  /** See `HolderOptions`. */
  takeOverMs?: number;
}

export interface WithdrawResult extends WithdrawnCounts {
  /** The first few warnings. Absent if there are none. */
  warnings?: { key: string; message: string }[];
}
