// Finds the Temporal dev server that `dev`, `demo` and the tests start, and installs it if it is missing.
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '../../settings/cache-dir.ts';
import type { Environment } from '../../settings/environment.ts';
import { cliVersion, downloadRelease } from './release-download.ts';
import { findOnPath, isExecutable, runCommand } from './run-command.ts';
import {
  type FoundServer,
  formatMsAsSeconds,
  type SearchStep,
  searchServer,
} from './server-search.ts';
import { withTempFolder } from './temp-folder.ts';

export { type FoundServer, TemporalServerNotFoundError } from './server-search.ts';

export interface FindServerOptions {
  env: Environment;
  /** Folder of the cache. @default cacheDirectory(env) */
  cacheDir?: string;
  onProgress?: (line: string) => void;
  signal?: AbortSignal;
  /** Downloads the released CLI. Tests replace it. */
  download?: typeof downloadRelease;
  /** Interval between progress messages of a long step, ms. */
  reportMs?: number;
}

export type TemporalChoice = { kind: 'existing'; address: string } | { kind: 'embedded' };

/** Go package of the dev server. */
export const serverPackage = `github.com/temporalio/cli/cmd/temporal@v${cliVersion}`;
const buildTimeoutMs = 30 * 60_000;
const versionTimeoutMs = 20_000;

/** Chooses the server of `TEMPORAL_ADDRESS` if it is set, or else an embedded server, which the caller may start. */
export function chooseTemporal(env: Environment): TemporalChoice {
  const address = env['TEMPORAL_ADDRESS']?.trim();
  return address ? { kind: 'existing', address } : { kind: 'embedded' };
}

/**
 * Finds the dev server or puts it into the cache. Tries PATH, the cache, the released CLI, then `go install`.
 * Reports each step. @throws TemporalServerNotFoundError that lists every step
 */
export async function findTemporalServer(options: FindServerOptions): Promise<FoundServer> {
  const { env, onProgress = () => undefined, signal, reportMs = 10_000 } = options;
  const { download = downloadRelease } = options;
  const cachedPath = join(options.cacheDir ?? cacheDirectory(env), 'dev-server', 'temporal');
  const program = 'Temporal dev server';
  const report = (line: string) => onProgress(`${program}: ${line}`);

  const onPath: SearchStep = {
    name: 'temporal on PATH',
    fix: 'install the Temporal CLI and add it to PATH, or set TEMPORAL_ADDRESS',
    attempt: async () => {
      const path = await findOnPath('temporal', env);
      if (!path) throw new Error('not found');
      return verifyServer(path, env, signal);
    },
  };
  const fromCache: SearchStep = {
    name: 'own cache',
    fix: `place a working temporal executable at ${cachedPath}`,
    attempt: async () => {
      if (!(await isExecutable(cachedPath))) throw new Error(`no executable ${cachedPath}`);
      return verifyServer(cachedPath, env, signal);
    },
  };
  const fromRelease: SearchStep = {
    name: `release ${cliVersion} of the Temporal CLI`,
    fix: 'allow this machine to reach the internet once; the download is cached',
    attempt: async () => {
      report(`trying to download release ${cliVersion} of the Temporal CLI`);
      const path = await download({ target: cachedPath, env, onProgress: report, signal });
      return verifyServer(path, env, signal);
    },
  };
  const fromGo: SearchStep = {
    name: `go install ${serverPackage}`,
    fix: 'install Go 1.23 or newer and allow it to reach its module proxy once',
    attempt: async () => {
      const go = await findOnPath('go', env);
      if (!go) throw new Error('go is not on PATH');
      return buildWithGo({ go, target: cachedPath, env, report, signal, reportMs });
    },
  };

  return searchServer({
    program,
    localSteps: [onPath, fromCache],
    downloadSteps: [fromRelease, fromGo],
    lockPath: `${dirname(cachedPath)}.lock`,
    onProgress,
    signal,
    reportIntervalMs: reportMs,
  });
}

interface GoBuild {
  go: string;
  target: string;
  env: Environment;
  report: (line: string) => void;
  signal: AbortSignal | undefined;
  reportMs: number;
}

async function buildWithGo(build: GoBuild): Promise<string> {
  const { go, target, env, report, signal, reportMs } = build;
  report('building it with Go, once; this takes 2 to 4 minutes on two cores');
  return withTempFolder(dirname(target), 'build-', async (folder) => {
    await runCommand(go, ['install', serverPackage], {
      cwd: folder,
      env: { ...env, GOBIN: folder },
      signal,
      timeoutMs: buildTimeoutMs,
      progressIntervalMs: reportMs,
      onProgress: (elapsedMs) => report(`building, ${formatMsAsSeconds(elapsedMs)} so far`),
    });
    await rename(await verifyServer(join(folder, 'temporal'), env, signal), target);
    return target;
  });
}

/** Returns the path if the program there is Temporal's CLI. @throws Error if its `--version` prints something else */
async function verifyServer(
  path: string,
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<string> {
  const output = await runCommand(path, ['--version'], {
    env,
    signal,
    timeoutMs: versionTimeoutMs,
  });
  if (!/^temporal version/im.test(output)) {
    throw new Error(`${path} --version printed ${JSON.stringify(output.slice(0, 80))}`);
  }
  return path;
}
