// Runs commands of the built program in the test's own process, which saves a second of CPU per command. Tests about
// processes, signals and pipes start real processes instead (`_stack.ts`).
import { createIo } from '../cli/_fake-io.ts';
import {
  type CommandResult,
  type Env,
  program,
  type RunningCommand,
  stopAtEnd,
  waitUntil,
} from './_stack.ts';

type Program = typeof import('../../src/cli/program.ts');
const { runCli } = (await import(program.replace('main.js', 'program.js'))) as Program;

/** Runs `renderline ARGS` in this process until it ends. */
export function runInProcess(args: string[], env: Env): Promise<CommandResult> {
  return startInProcess(args, env).finished;
}

/** Everything that a command writes to a terminal with colours, unchanged. */
export async function terminalOutput(args: string[], env: Env): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout, stderr, io } = createIo({ env: { PATH, HOME, FORCE_COLOR: '1', ...env } });
  await runCli(args, io);
  return stdout.text + stderr.text;
}

export interface InProcessCommand extends RunningCommand {
  stdout(): string;
  /** Interrupts the command as Ctrl-C does. */
  stop(): Promise<CommandResult>;
}

/**
 * Starts a worker in this process; resolves when it polls. Use `startWorkerProcess` for a worker that the test kills.
 */
export async function startWorkerInProcess(env: Env): Promise<InProcessCommand> {
  const worker = startInProcess(['worker'], env);
  stopAtEnd(worker);
  await worker.waitForOutput('Task queue');
  return worker;
}

/** Starts `renderline ARGS` in this process. */
export function startInProcess(args: string[], env: Env): InProcessCommand {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout, stderr, interrupts, io } = createIo({
    env: { PATH, HOME, NO_COLOR: '1', ...env },
  });
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
    hasExited: () => hasEnded,
    async waitForOutput(text) {
      await waitUntil(`it says ${String(text)}`, () => output().search(text) >= 0);
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
