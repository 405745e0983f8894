// Failures of a command that belong to no asset and no run.
import { objectFailures } from './objects.ts';
import { usageFailures } from './usage.ts';
import { connectionFailures } from './ways.ts';

export const commandFailures = { ...usageFailures, ...objectFailures, ...connectionFailures };
