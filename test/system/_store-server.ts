// Finds or installs servers of object stores for tests, or reports why that is not possible.
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { cacheDirectory } from '../../src/settings/cache-dir.ts';
import { findFreePorts } from '../../src/temporal/server/free-ports.ts';
import { findOnPath, isExecutable, runCommand } from '../../src/temporal/server/run-command.ts';
import { formatMsAsSeconds, searchServer } from '../../src/temporal/server/server-search.ts';
import {
  type SupervisedProcess,
  startSupervised,
} from '../../src/temporal/server/supervised-process.ts';
import { withTempFolder } from '../../src/temporal/server/temp-folder.ts';

const installLimitMs = 10 * 60_000;
const startLimitMs = 60_000;

export interface StoreKind {
  /** Display name, also for skip messages. */
  name: string;
  /** Folder in the cache; contains the version. */
  folder: string;
  /** Relative path of the file that proves a complete installation. */
  executable: string;
  /** Usual system paths, tried first. */
  systemPaths?: readonly string[];
  /** Program on PATH that installs the server. */
  installer: string;
  fix: string;
  /** Installs into a fresh folder, which is moved to its final path afterwards. */
  install: (fresh: string, run: Command) => Promise<void>;
}

type Command = (file: string, args: string[], env?: Record<string, string>) => Promise<void>;

export type Found = { path: string; problem: null } | { path: null; problem: string };

/** Path of the server's executable; installs the server if it is missing. */
export async function findStore(kind: StoreKind): Promise<Found> {
  const folder = join(cacheDirectory(process.env), kind.folder);
  const executable = join(folder, kind.executable);
  const onProgress = (line: string) => process.stderr.write(`${line}\n`);
  try {
    const { path } = await searchServer({
      program: kind.name,
      localSteps: [
        {
          name: 'own cache',
          fix: `remove ${folder}, so that it is made anew`,
          attempt: async () => {
            for (const path of [...(kind.systemPaths ?? []), executable]) {
              if (await isExecutable(path)) return path;
            }
            throw new Error(`no executable ${executable}`);
          },
        },
      ],
      downloadSteps: [
        {
          name: `installing with ${kind.installer}`,
          fix: kind.fix,
          attempt: () => installed(kind, folder, onProgress),
        },
      ],
      lockPath: `${folder}.lock`,
      onProgress,
      reportIntervalMs: 10_000,
    });
    return { path, problem: null };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    onProgress(`skipped: ${problem}`);
    return { path: null, problem };
  }
}

async function installed(kind: StoreKind, folder: string, say: (line: string) => void) {
  const program = await findOnPath(kind.installer, process.env);
  if (!program) throw new Error(`${kind.installer} is not on PATH`);
  await mkdir(dirname(folder), { recursive: true });
  return withTempFolder(dirname(folder), `${kind.folder}-`, async (fresh) => {
    say(`${kind.name}: installing it, once`);
    await kind.install(fresh, async (file, args, env = {}) => {
      await runCommand(file, args, {
        env: { ...process.env, ...env },
        cwd: fresh,
        timeoutMs: installLimitMs,
        progressIntervalMs: 10_000,
        onProgress: (elapsedMs) =>
          say(`${kind.name}: installing, ${formatMsAsSeconds(elapsedMs)} so far`),
      });
    });
    await rm(folder, { recursive: true, force: true });
    await rename(fresh, folder);
    return join(folder, kind.executable);
  });
}

export interface StoreServer {
  origin: string;
  port: number;
  process: SupervisedProcess;
}

/** Starts a server on a free or given port, and waits until it responds at `path`. */
export async function startStore(
  file: string,
  argsOf: (port: number) => string[],
  path: string,
  options: { env?: Record<string, string>; port?: number } = {},
): Promise<StoreServer> {
  const env = { ...process.env, ...options.env };
  const lastMs = Date.now() + startLimitMs;
  let [port = 0] = options.port === undefined ? await findFreePorts(1) : [options.port];
  let server = startSupervised(file, argsOf(port), { env });
  for (;;) {
    const origin = `http://127.0.0.1:${port}`;
    // Another process may have taken the port meanwhile.
    if (options.port === undefined && /in use/i.test(server.output())) {
      await server.stop();
      [port = 0] = await findFreePorts(1);
      server = startSupervised(file, argsOf(port), { env });
      continue;
    }
    const answers = await fetch(`${origin}${path}`).then(
      () => true,
      () => false,
    );
    if (answers) return { origin, port, process: server };
    if (Date.now() > lastMs) {
      await server.stop();
      throw new Error(`${file} did not answer in time:\n${server.output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
