// The cache folder for downloaded and built servers.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Environment } from './environment.ts';

/** Returns RENDERLINE_CACHE_DIR, $XDG_CACHE_HOME/renderline or ~/.cache/renderline, in this order. Always absolute. */
export function cacheDirectory(env: Environment): string {
  const configuredPath = env['RENDERLINE_CACHE_DIR'];
  if (configuredPath) return resolve(configuredPath);
  const xdgCachePath = env['XDG_CACHE_HOME'];
  return join(xdgCachePath ? resolve(xdgCachePath) : join(homedir(), '.cache'), 'renderline');
}
