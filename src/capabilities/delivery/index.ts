import { defineCapability } from '../../machinery/capability.ts';
import { exportNode } from './export.ts';

/** What was made goes to where it is wanted. */
export const delivery = defineCapability({ name: 'delivery', nodes: [exportNode] });
