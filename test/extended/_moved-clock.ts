// A Temporal server whose clock a test moves, and this process with it. The server that skips time has no schedules, so this
// is the usual one, built with a `time.Now` of Go that adds the number of ms in a file.

import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll } from 'vitest';
import { cacheDirectory } from '../../src/settings/cache-dir.ts';
import { ensureSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { type DevServer, startDevServer } from '../../src/temporal/server/dev-server.ts';
import { withFileLock } from '../../src/temporal/server/file-lock.ts';
import { serverPackage } from '../../src/temporal/server/find-server.ts';
import { withFreshFolder } from '../../src/temporal/server/fresh-folder.ts';
import { isExecutable, runCommand } from '../../src/temporal/server/run-command.ts';
import { type Env, tempFolder } from '../system/_stack.ts';

/** For processes: `node --require`, with the environment of the clock. */
export const shiftedClock = fileURLToPath(new URL('../system/_shifted-clock.cjs', import.meta.url));
const ahead = 'TEST_CLOCK_AHEAD_MS';
const namespace = 'moved-clock';

/** Added to Go's package `time`. Its times have no monotonic part, which would not be moved. */
const movedNow = `package time

import (
	"sync/atomic"
	"syscall"
)

var movedAheadNs atomic.Int64

// Timers call movedNow where nothing may be read, so this is done beside it.
func init() {
	path, ok := syscall.Getenv("TEST_CLOCK_FILE")
	if !ok {
		return
	}
	readMoved(path)
	go func() {
		for {
			Sleep(5 * Millisecond)
			readMoved(path)
		}
	}()
}

func readMoved(path string) {
	fd, err := open(path)
	if err != nil {
		return
	}
	var bytes [32]byte
	count, _ := read(fd, bytes[:])
	closefd(fd)
	var ms, sign int64 = 0, 1
	for _, digit := range bytes[:max(count, 0)] {
		if digit == '-' {
			sign = -1
		} else if digit >= '0' && digit <= '9' {
			ms = ms*10 + int64(digit-'0')
		}
	}
	movedAheadNs.Store(sign * ms * 1e6)
}

func movedNow() (int64, int32, int64) {
	sec, nsec, _ := runtimeNow()
	ns := sec*1e9 + int64(nsec) + movedAheadNs.Load()
	return ns / 1e9, int32(ns % 1e9), 0
}
`;

/** Path of the server; builds it once. @throws CommandError if Go is missing or cannot build it */
async function buildServer(): Promise<string> {
  const folder = join(cacheDirectory(process.env), 'dev-server-moved-clock');
  const target = join(folder, 'temporal');
  await mkdir(folder, { recursive: true });
  const lock = { waitLimitMs: 1_800_000, reportMs: 60_000, onWait: () => undefined };
  await withFileLock(`${folder}.lock`, lock, async () => {
    if (await isExecutable(target)) return;
    process.stderr.write(
      'Temporal with a clock for tests: building it with Go, once; this takes minutes\n',
    );
    await withFreshFolder(folder, 'build-', async (fresh) => {
      const options = { cwd: fresh, env: { ...process.env, GOBIN: fresh }, timeoutMs: 1_800_000 };
      const goRoot = (await runCommand('go', ['env', 'GOROOT'], options)).trim();
      const original = join(goRoot, 'src/time/time.go');
      const replaced = { [original]: 'time.go', [join(dirname(original), 'moved.go')]: 'moved.go' };
      const text = await readFile(original, 'utf8');
      const call = 'sec, nsec, mono := runtimeNow()';
      if (text.split(call).length !== 2) throw new Error(`${original} reads the clock otherwise`);
      await writeFile(
        join(fresh, 'time.go'),
        text.replace(call, call.replace('runtimeNow', 'movedNow')),
      );
      await writeFile(join(fresh, 'moved.go'), movedNow);
      const Replace = Object.fromEntries(
        Object.entries(replaced).map(([path, name]) => [path, join(fresh, name)]),
      );
      await writeFile(join(fresh, 'overlay.json'), JSON.stringify({ Replace }));
      await runCommand(
        'go',
        ['install', '-overlay', join(fresh, 'overlay.json'), serverPackage],
        options,
      );
      await rename(join(fresh, 'temporal'), target);
    });
  });
  return target;
}

export interface MovedClock {
  /** Connects commands and workers of this process, and others that are started with `shiftedClock`. */
  readonly env: Env;
  readonly server: DevServer;
  /** Moves the clock. @param to ISO 8601, later than now */
  moveTo(to: string): Promise<void>;
}

/** Starts the server before the tests of this file, at a time, and stops it after them. */
export function useMovedClock(startsAt: string): MovedClock {
  const right = globalThis.Date;
  let file = '';
  let server: DevServer | undefined;
  const moveTo = async (to: string) => {
    const ms = right.parse(to) - right.now();
    process.env[ahead] = String(ms);
    await writeFile(`${file}.new`, String(ms));
    await rename(`${file}.new`, file);
  };

  beforeAll(async () => {
    const folder = await tempFolder('moved-clock');
    file = join(folder, 'ahead-ms');
    const program = await buildServer();
    // It is loaded once, so a second test file of this process would otherwise keep the right one.
    globalThis.Date = createRequire(import.meta.url)(shiftedClock) as DateConstructor;
    await moveTo(startsAt);
    const binary = join(folder, 'temporal');
    await writeFile(binary, `#!/bin/sh\nTEST_CLOCK_FILE='${file}' exec '${program}' "$@"\n`);
    await chmod(binary, 0o700);
    // What began to wait before a move would end only when it would have without a move.
    const dynamicConfig = {
      'history.timerProcessorMaxPollInterval': '1s',
      'matching.longPollExpirationInterval': '3s',
    };
    server = await startDevServer({ binary, dynamicConfig });
    const connection = await Connection.connect({ address: server.address });
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs('30 days'),
    });
    await ensureSearchAttributes(connection, namespace);
    await connection.close();
  }, 1_800_000);

  afterAll(async () => {
    await server?.stop();
    globalThis.Date = right;
    delete process.env[ahead];
  });

  const running = () => {
    if (!server) throw new Error('the server runs only inside tests and hooks');
    return server;
  };
  return {
    moveTo,
    get server() {
      return running();
    },
    get env() {
      return { TEMPORAL_ADDRESS: running().address, TEMPORAL_NAMESPACE: namespace };
    },
  };
}
