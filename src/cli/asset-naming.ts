// Whether a worker logs single assets, and whether by name.
import { commandFailures } from '../failures/commands.ts';
import type { Environment } from '../settings/environment.ts';
import type { AssetNaming } from '../telemetry/log-assets.ts';
import { CliError } from './exit.ts';

const variable = 'RENDERLINE_LOG_ASSETS';

/**
 * @param flag true where it is given alone
 * @returns undefined: single assets are logged at `debug` alone
 * @throws CliError for another value than `key` and `hash`
 */
export function assetNaming(
  flag: string | true | undefined,
  env: Environment,
): AssetNaming | undefined {
  const value = flag ?? (env[variable] || undefined);
  if (value === undefined || value === '0') return undefined;
  if (value === true || value === '1' || value === 'key') return 'key';
  if (value === 'hash') return 'hash';
  const origin = flag === undefined ? variable : '--log-assets';
  throw new CliError(
    commandFailures.USAGE,
    `${origin} is "${value}", which is neither key nor hash.`,
    {
      fix: 'For example: --log-assets, or --log-assets hash',
    },
  );
}
