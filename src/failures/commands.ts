// Failures of commands that do not belong to an asset or a run.

import { connectionFailures } from './connections.ts';
import { objectFailures } from './objects.ts';
import { usageFailures } from './usage.ts';

export const commandFailures = { ...usageFailures, ...objectFailures, ...connectionFailures };
