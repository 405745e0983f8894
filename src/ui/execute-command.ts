// Executes commands in this process for the pages.
import { runCommandInProcess } from '../cli/in-process-command.ts';
import type { RunCommand, Session } from '../cli/session.ts';

export interface ExecutedCommand {
  /** Exit code of the command. */
  code: number;
  /** JSON object that the command printed; empty if it printed nothing. */
  output: Readonly<Record<string, unknown>>;
  /** Output on stderr. */
  notes: string;
}

export type ExecuteCommand = (argv: readonly string[]) => Promise<ExecutedCommand>;

/** Longer than any command takes that does not wait for a run. */
const maxMs = 120_000;

export function commandExecutor(session: Session, program: RunCommand): ExecuteCommand {
  return async (argv) => {
    const signal = AbortSignal.timeout(maxMs);
    const { code, stdout, stderr } = await runCommandInProcess(session, program, argv, {
      signal,
      via: 'ui',
    });
    return { code, output: parseObject(stdout), notes: stderr.trim() };
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
