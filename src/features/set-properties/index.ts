import { defineFeature } from '../../engine/feature.ts';
import { propertyFailures } from '../properties/failures.ts';
import { setPropertiesFailures } from './failures.ts';
import { propertiesIdRules } from './platform-ids.ts';
import { setPropertiesNode } from './set-properties.ts';

/** Writes property values. */
export const properties = defineFeature({
  name: 'properties',
  nodes: [setPropertiesNode],
  idRules: propertiesIdRules,
  failures: [propertyFailures, setPropertiesFailures],
});
