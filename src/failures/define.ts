// A known failure: a stable code, with the title and the fix that every front end prints for it.
import type { RunCause } from '../plan/run/run-cause.ts';
import { type ExitCode, exitCode } from './exit-code.ts';

/** What fails: one asset (the others continue), the whole run, or the command that encountered the failure. */
export type FailureScope = 'asset' | 'run' | 'command';

/** How the failure stops a run. Null if the run continues. */
export type StopKind = RunCause['kind'] | null;

interface Entry {
  /** What happened and why, in one sentence. */
  readonly title: string;
  /** What a person can do about it. */
  readonly fix: string;
  readonly stops?: RunCause['kind'];
  /** Exit code of a command that ends with the failure. */
  readonly exit?: ExitCode;
}

export interface KnownFailure<Code extends string = string, S extends StopKind = StopKind> {
  readonly code: Code;
  readonly title: string;
  readonly fix: string;
  readonly scope: FailureScope;
  readonly stops: S;
  readonly exit: ExitCode;
  /** Path of the documentation, if the code has no entry of its own. */
  readonly docs?: string | undefined;
}

export type FailureTable = Readonly<Record<string, KnownFailure>>;

/** A failure that stops a run. */
export type KnownCause = KnownFailure<string, RunCause['kind']>;

type Table<Entries> = {
  readonly [Code in keyof Entries & string]: KnownFailure<
    Code,
    Entries[Code] extends { stops: infer S extends RunCause['kind'] } ? S : null
  >;
};

/** Defines failures by code, each with the defaults of its scope. */
export function defineFailures<const Entries extends Readonly<Record<string, Entry>>>(
  scope: FailureScope,
  entries: Entries,
): Table<Entries>;
export function defineFailures(
  scope: FailureScope,
  entries: Readonly<Record<string, Entry>>,
): Readonly<Record<string, KnownFailure>> {
  const failures = Object.entries(entries).map(([code, entry]): [string, KnownFailure] => {
    const { title, fix, stops = null, exit = defaultExit[scope] } = entry;
    return [code, { code, title, fix, scope, stops, exit }];
  });
  return Object.fromEntries(failures);
}

const defaultExit: Readonly<Record<FailureScope, ExitCode>> = {
  asset: exitCode.partial,
  run: exitCode.usage,
  command: exitCode.usage,
};
