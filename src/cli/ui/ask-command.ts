// Executes commands in this process for the pages.
import { runInside } from '../command-inside.ts';
import type { RunCommand, Session } from '../session.ts';

export interface Answered {
  /** Exit code of the command. */
  code: number;
  /** JSON object that the command printed; empty if it printed nothing. */
  answer: Readonly<Record<string, unknown>>;
  /** Output on stderr. */
  notes: string;
}

export type AskCommand = (argv: readonly string[]) => Promise<Answered>;

/** Longer than any command takes that does not wait for a run. */
const atMostMs = 120_000;

export function askingCommands(session: Session, program: RunCommand): AskCommand {
  return async (argv) => {
    const signal = AbortSignal.timeout(atMostMs);
    const { code, stdout, stderr } = await runInside(session, program, argv, {
      signal,
      via: 'ui',
    });
    return { code, answer: objectOf(stdout), notes: stderr.trim() };
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
