import { defineCapability } from '../../machinery/capability.ts';
import { templateFailures } from './failures.ts';
import { templateMatch } from './template-match.ts';

import './refs.ts';

/** Scenes that projects are made from. */
export const templates = defineCapability({
  name: 'templates',
  nodes: [templateMatch],
  failures: [templateFailures],
});
