// Failures of a command that belong to no asset and no run.

import { connectionFailures } from './connections.ts';
import { objectFailures } from './objects.ts';
import { usageFailures } from './usage.ts';

export const commandFailures = { ...usageFailures, ...objectFailures, ...connectionFailures };
