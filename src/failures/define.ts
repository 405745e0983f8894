// What is known of a failure: a code that never changes, and the words that every place prints for it.
import type { RunCause } from '../plan/run-cause.ts';
import { type ExitCode, exitCode } from './exit-code.ts';

/** What fails: one asset, the others going on; the run as a whole; or the command that met it. */
export type FailureScope = 'asset' | 'run' | 'command';

/** How a run stops for it; null where it need not. */
export type Stops = RunCause['kind'] | null;

interface Entry {
  /** What has happened, and why; one sentence. */
  readonly title: string;
  /** What a person can do about it, whatever it is about. */
  readonly fix: string;
  readonly stops?: RunCause['kind'];
  /** End of a command that meets it. */
  readonly exit?: ExitCode;
}

export interface KnownFailure<Code extends string = string, S extends Stops = Stops> {
  readonly code: Code;
  readonly title: string;
  readonly fix: string;
  readonly scope: FailureScope;
  readonly stops: S;
  readonly exit: ExitCode;
}

/** Failures by their codes. */
export type FailureTable = Readonly<Record<string, KnownFailure>>;

/** A failure that stops a run. */
export type KnownCause = KnownFailure<string, RunCause['kind']>;

type Table<Entries> = {
  readonly [Code in keyof Entries & string]: KnownFailure<
    Code,
    Entries[Code] extends { stops: infer S extends RunCause['kind'] } ? S : null
  >;
};

/** Codes by their names: whoever fails with one takes it from here, so that none is unknown. */
export function defineFailures<const Entries extends Readonly<Record<string, Entry>>>(
  scope: FailureScope,
  entries: Entries,
): Table<Entries> {
  const known = Object.entries<Entry>(entries).map(([code, entry]) => {
    const { title, fix, stops = null, exit = usualEnd[scope] } = entry;
    return [code, { code, title, fix, scope, stops, exit }];
  });
  return Object.fromEntries(known) as Table<Entries>;
}

const usualEnd: Readonly<Record<FailureScope, ExitCode>> = {
  asset: exitCode.partial,
  run: exitCode.usage,
  command: exitCode.usage,
};
