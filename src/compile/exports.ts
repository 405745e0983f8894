// The parts of a plan about its exports: their manifests, and what happens to the files of withdrawn products.

import type { DeliveryManifest } from '../plan/delivery-manifests.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';
import type { TablePlan } from '../plan/rows.ts';
import type { Plan, Stages, Step } from '../plan/types.ts';
import { type WithdrawalRule, withdrawalPolicies } from '../plan/withdrawal.ts';
import { findConnector, isExportNode, type NodeDraft, toFields } from './node-draft.ts';
import type { Pipeline } from './pipeline.ts';

/** Compiles the manifests of a plan. */
export function compileManifests(
  order: readonly NodeDraft[],
  { deliveries }: Stages,
  rows: TablePlan | null,
): DeliveryManifest[] {
  return order.flatMap((node) => {
    const { id, type, config } = node;
    const manifest = config === null ? null : type?.manifest?.(config, rows?.reads ?? []);
    const delivery = deliveries[id]?.fingerprint;
    const connector = findConnector(node);
    return !manifest || delivery === undefined || connector === null
      ? []
      : [{ node: id, delivery, connector, ...manifest }];
  });
}

/** Compiles the withdrawal rules of a plan. Undefined if all exports keep their files. */
export function compileWithdrawalRules(
  order: readonly NodeDraft[],
  { deliveries }: Stages,
  { limits }: Pick<Pipeline, 'limits'>,
): Plan['withdrawn'] {
  const rules = order.filter(isExportNode).flatMap((node): [string, WithdrawalRule][] => {
    const fingerprint = deliveries[node.id]?.fingerprint;
    const connector = findConnector(node);
    const declaredPolicy = toFields(node.config ?? {})?.['withdrawn'];
    const policy = withdrawalPolicies.find((candidate) => candidate === declaredPolicy) ?? 'keep';
    return fingerprint === undefined || connector === null
      ? []
      : [[fingerprint, { connector, policy }]];
  });
  if (rules.every(([, { policy }]) => policy === 'keep')) return undefined;
  return { exports: Object.fromEntries(rules), ...omitUndefined({ max: limits.withdrawn }) };
}

/** Adds to each export step the fingerprint of the delivery, by which it recognizes its own files from earlier runs. */
export function withDeliveries(steps: readonly Step[], { deliveries }: Stages): Step[] {
  return steps.map((step) => {
    const delivery = step.id === step.node ? deliveries[step.node]?.fingerprint : undefined;
    return delivery === undefined ? step : { ...step, delivery };
  });
}
