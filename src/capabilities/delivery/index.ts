import { defineCapability } from '../../machinery/capability.ts';
import { exportNode } from './export.ts';
import { deliveryCauses, deliveryFailures } from './failures.ts';
import { deliveryRefs } from './refs.ts';

/** Delivers outputs to connectors. */
export const delivery = defineCapability({
  name: 'delivery',
  nodes: [exportNode],
  failures: [deliveryFailures, deliveryCauses],
  refs: deliveryRefs,
});
