// The programs for containers on this machine: a command line that speaks Docker's language, and compose.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The process is ended after so long. */
  limitMs?: number;
  /** Called whenever it has said something to people. */
  heard?: () => void;
}

export interface Engine {
  /** Words that begin a command: `docker`, or what CONTAINERS_CLI says. */
  cli: readonly string[];
  /** `docker compose`, or what CONTAINERS_COMPOSE says. */
  compose: readonly string[];
}

const names = { cli: 'CONTAINERS_CLI', compose: 'CONTAINERS_COMPOSE' } as const;
const candidates = {
  cli: [['docker'], ['podman']],
  compose: [['docker', 'compose'], ['docker-compose'], ['podman', 'compose']],
} as const;
/** A question to something that is there is answered at once. */
const lookMs = 20_000;
const callMs = 300_000;

/** Starts a program whose output is read by others. */
export function start(words: readonly string[], { cwd, env }: RunOptions): ChildProcess {
  const [program = '', ...rest] = words;
  return spawn(program, rest, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Runs a program to its end. A program that is not there gives code 127. */
export async function run(words: readonly string[], options: RunOptions): Promise<Ran> {
  const child = start(words, options);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
    options.heard?.();
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

/** The words of a command that must end well. @throws Error with the end of what it said */
export async function must(words: readonly string[], options: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await run(words, options);
  if (code === 0) return stdout;
  throw new Error(
    `${words.join(' ')} ended with ${code}:\n${stdout.slice(-2_000)}${stderr.slice(-4_000)}`,
  );
}

/** What is on this machine, or in words what is missing. */
export async function findEngine(options: RunOptions): Promise<Engine | string> {
  const cli = await firstThatAnswers('cli', ['ps', '--quiet'], options);
  if (cli === null) return 'no docker or podman that answers';
  const compose = await firstThatAnswers('compose', ['ls', '--quiet'], options);
  return compose === null ? 'no docker compose that answers' : { cli, compose };
}

async function firstThatAnswers(
  kind: 'cli' | 'compose',
  question: readonly string[],
  options: RunOptions,
): Promise<readonly string[] | null> {
  const named = options.env[names[kind]];
  for (const words of named === undefined ? candidates[kind] : [named.split(' ')]) {
    const { code } = await run([...words, ...question], { ...options, limitMs: lookMs });
    if (code === 0) return words;
  }
  return null;
}
