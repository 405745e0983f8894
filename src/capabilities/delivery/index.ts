import { defineCapability } from '../../machinery/capability.ts';
import { exportNode } from './export.ts';
import { deliveryFailures } from './failures.ts';

/** What was made goes to where it is wanted. */
export const delivery = defineCapability({
  name: 'delivery',
  nodes: [exportNode],
  failures: [deliveryFailures],
});
