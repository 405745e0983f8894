// Which Temporal dev server `dev`, `demo` and the tests start, and how it gets onto this machine.
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheDirectory, type Environment } from '../settings/cache-dir.ts';
import { inFreshFolder } from './fresh-folder.ts';
import { cliVersion, downloadRelease } from './release-download.ts';
import { findOnPath, isExecutable, runCommand } from './run-command.ts';
import { type FoundServer, type SearchStep, searchServer, seconds } from './server-search.ts';

export { type FoundServer, TemporalServerNotFoundError } from './server-search.ts';

export interface FindServerOptions {
  env: Environment;
  /** Default: `cacheDirectory(env)`. */
  cacheDir?: string;
  onProgress?: (line: string) => void;
  signal?: AbortSignal;
  /** Tests put another in its place. */
  download?: typeof downloadRelease;
  /** How often a long step reports. */
  reportMs?: number;
}

export type TemporalChoice = { kind: 'existing'; address: string } | { kind: 'embedded' };

const CLI_PACKAGE = `github.com/temporalio/cli/cmd/temporal@v${cliVersion}`;
const BUILD_LIMIT_MS = 30 * 60_000;
const VERSION_LIMIT_MS = 20_000;

/** `TEMPORAL_ADDRESS` set: that server is used and nothing is started. Else an embedded one may be. */
export function chooseTemporal(env: Environment): TemporalChoice {
  const address = env['TEMPORAL_ADDRESS']?.trim();
  return address ? { kind: 'existing', address } : { kind: 'embedded' };
}

/**
 * Finds the dev server, or brings it into the cache: PATH, own cache, the released CLI, `go install`.
 * Reports each step; throws TemporalServerNotFoundError with all of them.
 */
export async function findTemporalServer(options: FindServerOptions): Promise<FoundServer> {
  const { env, onProgress = () => undefined, signal, reportMs = 10_000 } = options;
  const { download = downloadRelease } = options;
  const cached = join(options.cacheDir ?? cacheDirectory(env), 'dev-server', 'temporal');
  const what = 'Temporal dev server';
  const say = (line: string) => onProgress(`${what}: ${line}`);

  const onPath: SearchStep = {
    name: 'temporal on PATH',
    wayOut: 'install the Temporal CLI and put it on PATH, or set TEMPORAL_ADDRESS',
    attempt: async () => {
      const path = await findOnPath('temporal', env);
      if (!path) throw new Error('not there');
      return verified(path, env, signal);
    },
  };
  const fromCache: SearchStep = {
    name: 'own cache',
    wayOut: `put a working temporal executable at ${cached}`,
    attempt: async () => {
      if (!(await isExecutable(cached))) throw new Error(`no executable ${cached}`);
      return verified(cached, env, signal);
    },
  };
  const fromRelease: SearchStep = {
    name: `release ${cliVersion} of the Temporal CLI`,
    wayOut: 'allow this machine to reach the internet once, the download is kept',
    attempt: async () => {
      say(`trying to download release ${cliVersion} of the Temporal CLI`);
      const path = await download({ target: cached, env, onProgress: say, signal });
      return verified(path, env, signal);
    },
  };
  const fromGo: SearchStep = {
    name: `go install ${CLI_PACKAGE}`,
    wayOut: 'install Go 1.23 or newer and allow it to reach its module proxy once',
    attempt: async () => {
      const go = await findOnPath('go', env);
      if (!go) throw new Error('go is not on PATH');
      return buildWithGo({ go, target: cached, env, say, signal, reportMs });
    },
  };

  return searchServer({
    what,
    local: [onPath, fromCache],
    remote: [fromRelease, fromGo],
    lockPath: `${dirname(cached)}.lock`,
    onProgress,
    signal,
    reportMs,
  });
}

interface GoBuild {
  go: string;
  target: string;
  env: Environment;
  say: (line: string) => void;
  signal: AbortSignal | undefined;
  reportMs: number;
}

async function buildWithGo(build: GoBuild): Promise<string> {
  const { go, target, env, say, signal, reportMs } = build;
  say('building it with Go, once; this takes 2 to 4 minutes on two cores');
  return inFreshFolder(dirname(target), 'build-', async (folder) => {
    await runCommand(go, ['install', CLI_PACKAGE], {
      cwd: folder,
      env: { ...env, GOBIN: folder },
      signal,
      timeoutMs: BUILD_LIMIT_MS,
      tickMs: reportMs,
      onTick: (elapsedMs) => say(`building, ${seconds(elapsedMs)} so far`),
    });
    await rename(await verified(join(folder, 'temporal'), env, signal), target);
    return target;
  });
}

/** The path itself, when the program there answers `--version` as Temporal's CLI does. */
async function verified(
  path: string,
  env: Environment,
  signal: AbortSignal | undefined,
): Promise<string> {
  const output = await runCommand(path, ['--version'], {
    env,
    signal,
    timeoutMs: VERSION_LIMIT_MS,
  });
  if (!/^temporal version/im.test(output)) {
    throw new Error(`${path} --version answered ${JSON.stringify(output.slice(0, 80))}`);
  }
  return path;
}
