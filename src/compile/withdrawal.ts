// Builds the rules for files of products that were removed from the source, from the `withdrawn` field of each export.

import { withoutUndefined } from '../plan/helpers/without-undefined.ts';
import type { Plan, Stages } from '../plan/types.ts';
import { type WithdrawalRule, withdrawalPolicies } from '../plan/withdrawal.ts';
import { connectorOf, delivers, fieldsOf, type NodeDraft } from './node-draft.ts';
import type { Pipeline } from './pipeline.ts';

/** The rules of a plan; no field if all exports keep their files. */
export function withdrawalRulesOf(
  order: readonly NodeDraft[],
  { deliveries }: Stages,
  { limits }: Pick<Pipeline, 'limits'>,
): Pick<Plan, 'withdrawn'> {
  const rules = order.filter(delivers).flatMap((node): [string, WithdrawalRule][] => {
    const fingerprint = deliveries[node.id]?.fingerprint;
    const connector = connectorOf(node);
    const declared = fieldsOf(node.config ?? {})?.['withdrawn'];
    const policy = withdrawalPolicies.find((one) => one === declared) ?? 'keep';
    return fingerprint === undefined || connector === null
      ? []
      : [[fingerprint, { connector, policy }]];
  });
  if (rules.every(([, { policy }]) => policy === 'keep')) return {};
  const max = limits.withdrawn;
  return { withdrawn: { exports: Object.fromEntries(rules), ...withoutUndefined({ max }) } };
}
