// The cache folder for downloaded and built servers.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from './environment.ts';

/** `RENDERLINE_CACHE_DIR`, else `$XDG_CACHE_HOME/renderline`, else `~/.cache/renderline`; always absolute. */
export function cacheDirectory(env: Environment): string {
  const own = env['RENDERLINE_CACHE_DIR'];
  if (own) return resolve(own);
  const shared = env['XDG_CACHE_HOME'];
  return join(shared ? resolve(shared) : join(homedir(), '.cache'), 'renderline');
}
