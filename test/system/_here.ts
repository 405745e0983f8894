// Runs commands of the built program in the test's own process, which saves a second of CPU per command. Tests about
// processes, signals and pipes start real processes instead (`_stack.ts`).
import { ioOf } from '../cli/_screen.ts';
import { type Env, type Finished, type Going, program, stopAtEnd, until } from './_stack.ts';

type Program = typeof import('../../src/cli/program.ts');
const { runCli } = (await import(program.replace('main.js', 'program.js'))) as Program;

/** Runs `renderline ARGS` in this process until it ends. */
export function runHere(args: string[], env: Env): Promise<Finished> {
  return startHere(args, env).finished;
}

/** Everything that a command writes to a terminal with colours, unchanged. */
export async function writtenHere(args: string[], env: Env): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout, stderr, io } = ioOf({ env: { PATH, HOME, FORCE_COLOR: '1', ...env } });
  await runCli(args, io);
  return stdout.text + stderr.text;
}

export interface GoingHere extends Going {
  stdout(): string;
  /** Interrupts the command as Ctrl-C does. */
  stop(): Promise<Finished>;
}

/** Starts a worker in this process; resolves when it polls. Use `startWorkerProcess` for a worker that is to be killed. */
export async function startWorkerHere(env: Env): Promise<GoingHere> {
  const worker = startHere(['worker'], env);
  stopAtEnd(worker);
  await worker.says('Task queue');
  return worker;
}

/** Starts `renderline ARGS` in this process. */
export function startHere(args: string[], env: Env): GoingHere {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout, stderr, interrupts, io } = ioOf({ env: { PATH, HOME, NO_COLOR: '1', ...env } });
  let hasEnded = false;
  let isStopping = false;
  const finished = runCli(args, io).then((code) => {
    hasEnded = true;
    return { code, stdout: stdout.plain, stderr: stderr.plain };
  });
  const output = () => stdout.plain + stderr.plain;
  return {
    finished,
    output,
    stdout: () => stdout.plain,
    hasEnded: () => hasEnded,
    async says(text) {
      await until(`it says ${String(text)}`, () => output().search(text) >= 0);
      return output();
    },
    stop() {
      // A second interrupt would end the command before it has closed its connections.
      if (!isStopping) interrupts.interrupt();
      isStopping = true;
      return finished;
    },
  };
}
