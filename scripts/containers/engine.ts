// The container tools on this machine: a Docker-compatible CLI, and Compose.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Time limit, after which the process is killed. */
  limitMs?: number;
  /** Called with each chunk of output on stderr. */
  onOutput?: () => void;
}

export interface Engine {
  /** Beginning of a command: `docker`, or the value of CONTAINERS_CLI. */
  cli: readonly string[];
  /** `docker compose`, or the value of CONTAINERS_COMPOSE. */
  compose: readonly string[];
}

const names = { cli: 'CONTAINERS_CLI', compose: 'CONTAINERS_COMPOSE' } as const;
const candidates = {
  cli: [['docker'], ['podman']],
  compose: [['docker', 'compose'], ['docker-compose'], ['podman', 'compose']],
} as const;
const probeTimeoutMs = 20_000;
const callMs = 300_000;

/** Starts a program whose output is read by the caller. */
export function start(command: readonly string[], { cwd, env }: RunOptions): ChildProcess {
  const [program = '', ...args] = command;
  return spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a program until it exits. If the program is missing, the exit code is 127. */
export async function run(command: readonly string[], options: RunOptions): Promise<CommandResult> {
  const child = start(command, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
    options.onOutput?.();
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), options.limitMs ?? callMs);
  try {
    const [code] = await once(child, 'close');
    return { code: typeof code === 'number' ? code : 137, stdout, stderr };
  } catch (error) {
    return { code: 127, stdout, stderr: String(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a command that must succeed. @throws Error with the end of its output */
export async function runOrThrow(command: readonly string[], options: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await run(command, options);
  if (code === 0) return stdout;
  throw new Error(
    `${command.join(' ')} ended with ${code}:\n${stdout.slice(-2_000)}${stderr.slice(-4_000)}`,
  );
}

/** Returns the container programs of this machine, or a description of what is missing. */
export async function findEngine(options: RunOptions): Promise<Engine | string> {
  const cli = await firstAvailable('cli', ['ps', '--quiet'], options);
  if (cli === null) return 'neither docker nor podman responds';
  const compose = await firstAvailable('compose', ['ls', '--quiet'], options);
  return compose === null ? 'docker compose does not respond' : { cli, compose };
}

async function firstAvailable(
  kind: 'cli' | 'compose',
  question: readonly string[],
  options: RunOptions,
): Promise<readonly string[] | null> {
  const customCommand = options.env[names[kind]];
  for (const command of customCommand === undefined
    ? candidates[kind]
    : [customCommand.split(' ')]) {
    const { code } = await run([...command, ...question], { ...options, limitMs: probeTimeoutMs });
    if (code === 0) return command;
  }
  return null;
}
