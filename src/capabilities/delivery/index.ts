import { defineCapability } from '../../machinery/capability.ts';
import { exportNode } from './export.ts';
import { deliveryCauses, deliveryFailures } from './failures.ts';
import { deliveryRefs } from './refs.ts';

/** Brings outputs to where they are wanted. */
export const delivery = defineCapability({
  name: 'delivery',
  nodes: [exportNode],
  failures: [deliveryFailures, deliveryCauses],
  refs: deliveryRefs,
});
