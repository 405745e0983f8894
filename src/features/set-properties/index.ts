import { defineFeature } from '../../engine/feature.ts';
import { propertyFailures } from '../properties/failures.ts';
import { setPropertiesNode } from './set-properties.ts';

/** Writes property values to models. */
export const properties = defineFeature({
  name: 'properties',
  nodes: [setPropertiesNode],
  failures: [propertyFailures],
});
