// The manifests of a plan: of each export that has one.
import type { DeliveryManifest } from '../plan/delivery-manifests.ts';
import type { PlannedRows } from '../plan/rows.ts';
import type { Plan, Stages } from '../plan/types.ts';
import { connectorOf, type NodeDraft } from './node-draft.ts';

/** The manifests of a plan; no field if no export has one. */
export function manifestsOf(
  order: readonly NodeDraft[],
  { deliveries }: Stages,
  rows: PlannedRows | null,
): Pick<Plan, 'manifests'> {
  const manifests = order.flatMap((node): DeliveryManifest[] => {
    const { id, type, config } = node;
    const manifest = config === null ? null : type?.manifest?.(config, rows?.reads ?? []);
    const delivery = deliveries[id]?.fingerprint;
    const connector = connectorOf(node);
    return !manifest || delivery === undefined || connector === null
      ? []
      : [{ node: id, delivery, connector, ...manifest }];
  });
  return manifests.length > 0 ? { manifests } : {};
}
