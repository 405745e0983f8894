// Finds and starts the time-skipping test server of Temporal's Java SDK, for tests that must not wait for hours.
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Connection } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { commandFailures } from '../../failures/commands.ts';
import { cacheDirectory } from '../../settings/cache-dir.ts';
import type { Environment } from '../../settings/environment.ts';
import { helperEnvironmentOf } from '../../settings/helper-environment.ts';
import { DevServerError } from './dev-server.ts';
import { withFileLock } from './file-lock.ts';
import type { FindServerOptions } from './find-server.ts';
import { findFreePorts } from './free-ports.ts';
import { findOnPath, isExecutable, runCommand } from './run-command.ts';
import {
  type FoundServer,
  formatMsAsSeconds,
  type SearchStep,
  searchServer,
} from './server-search.ts';
import { startSupervised } from './supervised-process.ts';
import { withTempFolder } from './temp-folder.ts';

const testServerVersion = '1.38.0';
const mavenTimeoutMs = 10 * 60_000;
const usageTimeoutMs = 30_000;
const maxStartAttempts = 8;
const archiveTimeoutMs = 30_000;
const maxTurnWaitMs = 60_000;

/**
 * Finds the test server in the cache, or fetches it with Maven. The resulting path is a start script.
 * @throws TemporalServerNotFoundError like `findTemporalServer`
 */
export async function findTestServer(
  options: Omit<FindServerOptions, 'download'>,
): Promise<FoundServer> {
  const { env, onProgress = () => undefined, signal, reportMs = 10_000 } = options;
  const folder = join(options.cacheDir ?? cacheDirectory(env), 'test-server');
  const script = join(folder, 'start');
  const program = 'Time-skipping test server';
  const report = (line: string) => onProgress(`${program}: ${line}`);

  const fromCache: SearchStep = {
    name: 'own cache',
    fix: `delete ${folder}, so that it is created again`,
    attempt: async () => {
      if (!(await isExecutable(script))) throw new Error(`no executable ${script}`);
      await verify(script, env, signal);
      return script;
    },
  };
  const fromMaven: SearchStep = {
    name: `Maven (io.temporal:temporal-test-server:${testServerVersion})`,
    fix: 'install Java 17 or newer and Maven, and allow Maven to reach its central repository once',
    attempt: () =>
      publish({ folder, env, signal }, async (freshFolder) => {
        const mvn = await findOnPath('mvn', env);
        if (!mvn) throw new Error('mvn is not on PATH');
        report('fetching it with Maven, once');
        await writeFile(join(freshFolder, 'pom.xml'), pomXml);
        const goal = ['-B', '-q', 'dependency:copy-dependencies', '-DoutputDirectory=lib'];
        await runCommand(mvn, [...goal, '-DincludeScope=runtime'], {
          cwd: freshFolder,
          env,
          signal,
          timeoutMs: mavenTimeoutMs,
          progressIntervalMs: reportMs,
          onProgress: (elapsedMs) => report(`fetching, ${formatMsAsSeconds(elapsedMs)} so far`),
        });
      }),
  };
  return searchServer({
    program,
    localSteps: [fromCache],
    downloadSteps: [fromMaven],
    lockPath: `${folder}.lock`,
    onProgress,
    signal,
    reportIntervalMs: reportMs,
  });
}

/** Starts the test server at `path`. The caller stops it with `teardown()`. */
export async function startTimeSkipping(path: string): Promise<TestWorkflowEnvironment> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      // Servers start one at a time, because a Java start needs most of the machine.
      return await withFileLock(`${path}.turn`, { waitLimitMs: maxTurnWaitMs }, async () =>
        TestWorkflowEnvironment.createTimeSkipping({
          server: {
            executable: { type: 'existing-path', path: await ensureFastStartScript(path) },
          },
        }),
      );
    } catch (error) {
      // The SDK waits 5 s for the port, and a Java start on a busy machine may take longer.
      if (attempt < maxStartAttempts) continue;
      throw new DevServerError(
        `the time-skipping server did not start within 5 s in any of ${maxStartAttempts} attempts`,
        error instanceof Error ? error.message : String(error),
        commandFailures.TEST_SERVER_NOT_STARTED,
      );
    }
  }
}

/**
 * Path of a script that starts the server with an archive of its classes, which more than halves the cost of a start.
 * The script drops stderr, where a working server only prints that it has no logger.
 */
async function ensureFastStartScript(path: string): Promise<string> {
  const script = join(dirname(path), 'lean');
  if (await isExecutable(script)) return script;
  // Java ignores an archive that is missing or was created by another Java version.
  await archiveClasses(path, join(dirname(path), 'classes.jsa')).catch(() => undefined);
  const newScript = `${script}-${process.pid}`;
  await writeFile(newScript, createLeanScript(basename(path)));
  await chmod(newScript, 0o755);
  await rename(newScript, script);
  return script;
}

/** Starts a server, connects once, and lets it archive its loaded classes when it exits. */
async function archiveClasses(path: string, archive: string): Promise<void> {
  const [port = 0] = await findFreePorts(1);
  const options = `-XX:ArchiveClassesAtExit="${archive}"`;
  const server = startSupervised(path, [String(port)], {
    env: { ...helperEnvironmentOf(process.env), JDK_JAVA_OPTIONS: options },
  });
  try {
    const connectTimeout = archiveTimeoutMs;
    await (await Connection.connect({ address: `127.0.0.1:${port}`, connectTimeout })).close();
  } finally {
    await server.stop(archiveTimeoutMs);
  }
}

interface Publication {
  folder: string;
  env: Environment;
  signal: AbortSignal | undefined;
}

/** Fills a fresh folder, verifies its start script, and moves the folder to its final path in one step. */
async function publish(
  { folder, env, signal }: Publication,
  fill: (freshFolder: string) => Promise<unknown>,
): Promise<string> {
  return withTempFolder(dirname(folder), `${basename(folder)}-`, async (freshFolder) => {
    await fill(freshFolder);
    await writeFile(join(freshFolder, 'start'), `${scriptHead}${javaLine}\n`);
    await chmod(join(freshFolder, 'start'), 0o755);
    await verify(join(freshFolder, 'start'), env, signal);
    await rm(folder, { recursive: true, force: true });
    await rename(freshFolder, folder);
    return join(folder, 'start');
  });
}

async function verify(script: string, env: Environment, signal: AbortSignal | undefined) {
  const output = await runCommand(script, [], { env, signal, timeoutMs: usageTimeoutMs });
  if (!output.includes('--enable-time-skipping')) {
    throw new Error(`${script} printed ${JSON.stringify(output.slice(0, 80))}`);
  }
}

const pomXml = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>renderline</groupId>
  <artifactId>test-server</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>io.temporal</groupId>
      <artifactId>temporal-test-server</artifactId>
      <version>${testServerVersion}</version>
    </dependency>
  </dependencies>
</project>
`;

// The watcher stops the server when its parent process has ended, even by kill -9.
const scriptHead = `#!/bin/sh
here=\${0%/*}
if [ $# -gt 0 ]; then
  (
    while kill -0 "$PPID" && kill -0 "$$"; do sleep 1; done
    kill -0 "$PPID" || kill "$$"
  ) </dev/null >/dev/null 2>&1 &
fi
`;

const createLeanScript = (start: string) => `#!/bin/sh
here=\${0%/*}
export JDK_JAVA_OPTIONS="$JDK_JAVA_OPTIONS -Xlog:disable -XX:SharedArchiveFile=\\"$here/classes.jsa\\""
exec "$here/${start}" "$@" 2>/dev/null
`;

const javaLine =
  'exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx512m ' +
  '-cp "$here/lib/*" io.temporal.testserver.TestServer "$@"';
