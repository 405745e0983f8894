// How a command can end badly, where neither an asset nor a run is to blame.
import { objectFailures } from './objects.ts';
import { usageFailures } from './usage.ts';
import { wayFailures } from './ways.ts';

export const commandFailures = { ...usageFailures, ...objectFailures, ...wayFailures };
