// Loads the plugins that renderline.yaml lists. A plugin is project code and runs with the rights of the person who
// starts a command. Therefore no other user may have write access to the plugin or to the file that lists it.
import { realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../settings/config-error.ts';
import { findTrustProblem } from '../settings/trusted-path.ts';
import { addPlugin } from './add-plugin.ts';

/** Paths of the plugins that this process has loaded. The registry is also per process. */
const loadedPaths = new Set<string>();

/**
 * Adds the plugins to the registry, each once per process.
 * @param names `./file.js` or an absolute path below the folder of the configuration, or a package that is installed
 * there
 * @param file the renderline.yaml that lists them
 * @throws ConfigError that identifies the plugin
 */
export async function loadPlugins(names: readonly string[], file: string): Promise<void> {
  if (names.length === 0) return;
  assertTrusted(file, 'lists plugins');
  for (const name of names) {
    const path = await resolvePath(name, file);
    if (loadedPaths.has(path)) continue;
    assertTrusted(path, 'is a plugin');
    addPlugin((await importModule(name, path, file)).plugin, name);
    loadedPaths.add(path);
  }
}

/** @throws ConfigError if another user could change the file */
function assertTrusted(file: string, role: string): void {
  const problem = findTrustProblem(file);
  if (problem === null) return;
  throw new ConfigError(
    `${file} ${role}, and ${problem}.`,
    'Allow only your user to write to this file and to the folders above it (chown, chmod go-w).',
  );
}

async function resolvePath(name: string, file: string): Promise<string> {
  const folder = await realpath(dirname(file));
  if (!name.startsWith('.') && !name.startsWith('/')) return findPackagePath(name, file);
  const path = await realpath(resolve(folder, name)).catch(() => null);
  if (path === null) {
    throw new ConfigError(
      `${file} lists the plugin ${name}, which does not exist.`,
      `Correct \`plugins:\`; paths are relative to ${folder}.`,
    );
  }
  const relativePath = relative(folder, path);
  if (!relativePath.startsWith(`..${sep}`)) return path;
  throw new ConfigError(
    `${file} lists the plugin ${name}, which is outside ${folder}.`,
    'Move the plugin below the folder of the configuration, or install it as a package.',
  );
}

function findPackagePath(name: string, file: string): string {
  try {
    return createRequire(file).resolve(name);
  } catch (error) {
    throw new ConfigError(
      `${file} lists the plugin ${name}, which cannot be found: ${messageOf(error)}`,
      `Install the plugin next to the file: npm install ${name}. The exports of the package need a \`default\` condition.`,
    );
  }
}

async function importModule(
  name: string,
  path: string,
  file: string,
): Promise<{ plugin?: unknown }> {
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw new ConfigError(
      `The plugin ${name} of ${file} cannot be loaded: ${messageOf(error)}`,
      'Correct the plugin: Node must be able to import it without a build step.',
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
