// Commands in the test's own process, where a process of their own would prove nothing: starting one takes a second of a
// core. What is about processes, signals and pipes starts them (`_stack.ts`). It is the built program here too.
import { ioOf } from '../cli/_screen.ts';
import { type Env, type Finished, type Going, program, stopAtEnd, until } from './_stack.ts';

type Program = typeof import('../../src/cli/program.ts');
const { runCli } = (await import(program.replace('main.js', 'program.js'))) as Program;

/** Runs `renderline ARGS` to its end, here. */
export function runHere(args: string[], env: Env): Promise<Finished> {
  return startHere(args, env).finished;
}

/** All that a command writes to a terminal with colours, as it is. */
export async function writtenHere(args: string[], env: Env): Promise<string> {
  const { PATH = '', HOME = '' } = process.env;
  const { stdout, stderr, io } = ioOf({ env: { PATH, HOME, FORCE_COLOR: '1', ...env } });
  await runCli(args, io);
  return stdout.text + stderr.text;
}

export interface GoingHere extends Going {
  stdout(): string;
  /** As Ctrl-C does it. */
  stop(): Promise<Finished>;
}

/** A worker, here; settles when it polls. One that is to be killed is a process (`startWorkerProcess`). */
export async function startWorkerHere(env: Env): Promise<GoingHere> {
  const worker = startHere(['worker'], env);
  stopAtEnd(worker);
  await worker.says('Task queue');
  return worker;
}

/** Starts `renderline ARGS`, here. */
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
      // A second Ctrl-C would end it before it has closed what it has opened.
      if (!isStopping) interrupts.interrupt();
      isStopping = true;
      return finished;
    },
  };
}
