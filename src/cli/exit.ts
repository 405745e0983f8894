// Converts errors into messages, fixes and exit codes.
import { looseFields } from '../api/loose-fields.ts';
import { inOneLine } from '../api/plain-text.ts';
import { commandFailures } from '../failures/commands.ts';
import type { KnownFailure } from '../failures/define.ts';
import { exitCode } from '../failures/exit-code.ts';
import { failureOf, networkFailureOf } from '../failures/of-error.ts';

type End = Pick<KnownFailure, 'code' | 'fix'> & { readonly exit: number };

/** An error with a failure code, a message for the user, a fix and an exit code. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: string;
  readonly fix: string;
  readonly exit: number;
  /** Additional fields of the JSON error, such as the run. */
  readonly details: object;
  /** True when nothing failed and the run waits for an approval as its pipeline demands. */
  readonly isPlanned: boolean;

  /** @param more `fix` replaces the default fix of the failure code */
  constructor(
    end: End,
    message: string,
    more: { fix?: string; details?: object; isPlanned?: boolean } = {},
  ) {
    super(message);
    this.exit = end.exit;
    this.code = end.code;
    this.fix = more.fix ?? end.fix;
    this.details = more.details ?? {};
    this.isPlanned = more.isPlanned ?? false;
  }
}

export interface Explanation {
  exit: number;
  code: string;
  message: string;
  fix: string;
  details?: object;
  isPlanned?: boolean;
}

export function explainError(error: unknown): Explanation {
  if (error instanceof CliError) return error;
  if (!(error instanceof Error)) return ended(commandFailures.INTERNAL, String(error));
  const told = failureOf(error);
  if (told) return ended(told.failure, told.message, told.fix);
  const known = ofOthers(error) ?? ofSystem(error) ?? ofGrpc(error) ?? ofNetwork(error);
  return known ?? ended(commandFailures.INTERNAL, error.message || error.name);
}

/**
 * Explains an error of an optional part of a command, with the message in one line.
 * @throws the error itself when credentials were refused, because then the main work would fail too.
 */
export function explainUnlessRefused(error: unknown): Explanation {
  const explanation = explainError(error);
  if (explanation.exit === exitCode.auth) throw error;
  const { message } = explanation;
  return { ...explanation, message: inOneLine(message) };
}

/** Matches errors of libraries and of the sandbox by name, to avoid loading those modules here. */
function ofOthers({ name, message }: Error): Explanation | null {
  switch (name) {
    case 'WorkflowNotFoundError':
      return ended(
        commandFailures.RUN_NOT_FOUND,
        'Temporal has no open run of this name: it has ended or never existed.',
      );
    case 'AbortError':
      return ended(commandFailures.INTERRUPTED, 'Interrupted.', '');
    case 'SandboxOptionError':
      return ended(commandFailures.USAGE, message, '');
    default:
      return null;
  }
}

const systemCodes = [
  'ENOENT',
  'EISDIR',
  'ENOTDIR',
  'EACCES',
  'EADDRINUSE',
  'ENOSPC',
  'EMFILE',
  'ECONNREFUSED',
  'ENOTFOUND',
] as const;

function ofSystem(error: Error): Explanation | null {
  const code = systemCodes.find((one) => one === field(error, 'code'));
  if (code === undefined) return null;
  const path = code === 'ENOENT' ? field(error, 'path') : '';
  const fix = path === '' ? commandFailures[code].fix : `Check the path: ${path}`;
  return ended(commandFailures[code], error.message, fix);
}

function ofNetwork(error: Error): Explanation | null {
  const told = networkFailureOf(error);
  return told && ended(told.failure, told.message, told.fix);
}

// Failures by gRPC status code.
const grpcEnds: Readonly<Record<number, KnownFailure | undefined>> = {
  4: commandFailures.TEMPORAL_UNREACHABLE,
  5: commandFailures.RUN_NOT_FOUND,
  7: commandFailures.TEMPORAL_DENIED,
  8: commandFailures.TEMPORAL_BUSY,
  14: commandFailures.TEMPORAL_UNREACHABLE,
  16: commandFailures.TEMPORAL_DENIED,
};

function ofGrpc(error: Error): Explanation | null {
  // Temporal's client may wrap the gRPC error, so the status is in the error or its cause.
  for (const candidate of [error, error.cause]) {
    const { code: status } = looseFields(candidate);
    const end = typeof status === 'number' ? grpcEnds[status] : undefined;
    if (end !== undefined) {
      return ended(end, `Temporal: ${field(candidate, 'details') || error.message}`);
    }
  }
  return null;
}

function field(error: unknown, name: string): string {
  const value = looseFields(error)[name];
  return typeof value === 'string' ? value : '';
}

function ended({ exit, code, fix }: End, message: string, better = fix): Explanation {
  return { exit, code, message, fix: better };
}
