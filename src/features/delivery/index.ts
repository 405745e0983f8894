import { defineFeature } from '../../engine/feature.ts';
import { exportNode } from './export.ts';
import { deliveryCauses, deliveryFailures } from './failures.ts';
import { deliveryIdRules } from './platform-ids.ts';

/** Delivers outputs to connectors. */
export const delivery = defineFeature({
  name: 'delivery',
  nodes: [exportNode],
  failures: [deliveryFailures, deliveryCauses],
  idRules: deliveryIdRules,
});
