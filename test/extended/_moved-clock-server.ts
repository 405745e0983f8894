// Builds the Temporal server whose clock tests move: its `time.Now` of Go adds the number of ms in a file.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { shortHashOf } from '../../src/plan/helpers/short-hash.ts';
import { cacheDirectory } from '../../src/settings/cache-dir.ts';
import { withFileLock } from '../../src/temporal/server/file-lock.ts';
import { serverPackage } from '../../src/temporal/server/find-server.ts';
import { isExecutable, runCommand } from '../../src/temporal/server/run-command.ts';
import { withTempFolder } from '../../src/temporal/server/temp-folder.ts';

/** Added to Go's package `time`. Its times have no monotonic part, which would not be moved. */
const movedNow = `package time

import (
	"sync/atomic"
	"syscall"
)

var movedAheadNs atomic.Int64

// Timers call movedNow, which must not read files, so the file is read in a goroutine of its own.
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

/**
 * Path of the server; builds it once.
 * @throws CommandError if Go is missing or cannot build it
 */
export async function findMovedClockServer(onProgress: (line: string) => void): Promise<string> {
  const name = `dev-server-moved-clock-${shortHashOf(serverPackage + movedNow)}`;
  const folder = join(cacheDirectory(process.env), name);
  const target = join(folder, 'temporal');
  await mkdir(folder, { recursive: true });
  const lock = { waitLimitMs: 1_800_000, reportMs: 60_000, onWait: () => undefined };
  await withFileLock(`${folder}.lock`, lock, async () => {
    if (await isExecutable(target)) return;
    onProgress(
      'Temporal server with a clock for tests: building it with Go, once; this takes 2 to 4 minutes',
    );
    await withTempFolder(folder, 'build-', async (fresh) => {
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
