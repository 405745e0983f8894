// Reads whether a worker logs single assets, and whether by key or by hash.
import { commandFailures } from '../../failures/commands.ts';
import type { Environment } from '../../settings/environment.ts';
import type { AssetNaming } from '../../telemetry/log-assets.ts';
import { RenderlineError } from '../renderline-error.ts';

const variable = 'RENDERLINE_LOG_ASSETS';

/**
 * @param flag value of `--log-assets`; true without a value
 * @returns undefined when single assets are logged at level `debug` only
 * @throws RenderlineError for a value other than `key` and `hash`
 */
export function readAssetNaming(
  flag: string | true | undefined,
  env: Environment,
): AssetNaming | undefined {
  const value = flag ?? (env[variable] || undefined);
  if (value === undefined || value === '0') return undefined;
  if (value === true || value === '1' || value === 'key') return 'key';
  if (value === 'hash') return 'hash';
  const origin = flag === undefined ? variable : '--log-assets';
  throw new RenderlineError(
    commandFailures.USAGE,
    `${origin} "${value}" is not allowed: use key or hash.`,
    {
      fix: 'For example: --log-assets, or --log-assets hash',
    },
  );
}
