// Input of the activity that writes the manifests of exports. Types only.
import type { DeliveryManifest } from '../delivery-manifests.ts';
import type { RunContext } from '../run/run-context.ts';
import type { Plan } from '../types.ts';

export interface WriteManifestsInput {
  context: RunContext;
  discovery: Pick<Plan['discovery'], 'rows' | 'grid'>;
  manifests: DeliveryManifest[];
}
