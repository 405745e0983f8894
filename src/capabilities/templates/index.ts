import { defineFeature } from '../../machinery/capability.ts';
import { templateFailures } from './failures.ts';
import { templateMatch } from './template-match.ts';

import './refs.ts';

/** Chooses templates: the scenes from which projects are created. */
export const templates = defineFeature({
  name: 'templates',
  nodes: [templateMatch],
  failures: [templateFailures],
});
