// A simulated machine in a temporary folder: PATH, cache, and programs as small shell scripts.
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

export interface FakeMachine {
  folder: string;
  cacheDir: string;
  env: { PATH: string };
  lines: string[];
  onProgress: (line: string) => void;
  /** Installs a program on PATH. */
  install(name: string, script: string): Promise<void>;
  /** File names in a folder of the cache; [] if the folder does not exist. */
  cached(folder: string): Promise<string[]>;
}

export async function fakeMachine(): Promise<FakeMachine> {
  const folder = await mkdtemp(join(tmpdir(), 'renderline-machine-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const bin = join(folder, 'bin');
  const cacheDir = join(folder, 'cache');
  const lines: string[] = [];
  return {
    folder,
    cacheDir,
    env: { PATH: bin },
    lines,
    onProgress: (line) => lines.push(line),
    install: (name, script) => program(join(bin, name), script),
    cached: (name) => readdir(join(cacheDir, name)).catch(() => []),
  };
}

/** Writes an executable shell script. The simulated PATH has no system programs. */
export async function program(path: string, script: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

/** Output of a working CLI for --version. */
export const temporalScript = 'echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"';

/** A `go` that "builds" the CLI and counts its calls in `builds` next to the build folder. */
export const goScript = `
echo "$@" >> "$GOBIN/../builds"
printf '#!/bin/sh\\n${temporalScript}\\n' > "$GOBIN/temporal"
/bin/chmod +x "$GOBIN/temporal"`;

/** The pid of a process that has exited. */
export async function deadPid(): Promise<number> {
  const { spawn } = await import('node:child_process');
  const child = spawn('/bin/sh', ['-c', 'exit 0']);
  await new Promise((resolve) => child.once('exit', resolve));
  return child.pid ?? 0;
}
