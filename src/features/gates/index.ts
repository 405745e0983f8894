import { defineFeature } from '../../engine/feature.ts';
import { gateFailures } from './failures.ts';
import { gate } from './gate.ts';

/** Assets wait for opening hours or for a given time. */
export const gates = defineFeature({ name: 'gates', nodes: [gate], failures: [gateFailures] });
