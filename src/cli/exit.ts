// Translates errors into messages and exit codes.
import { looseFields } from '../api/loose-fields.ts';
import { inOneLine } from '../api/plain-text.ts';
import { commandFailures } from '../failures/commands.ts';
import type { KnownFailure } from '../failures/define.ts';
import { exitCode } from '../failures/exit-code.ts';
import { failureOf, networkFailureOf } from '../failures/of-error.ts';

type End = Pick<KnownFailure, 'code' | 'fix'> & { readonly exit: number };

/** An end that a command chose: what happened, and how to fix it. */
export class CliError extends Error {
  override name = 'CliError';
  readonly code: string;
  readonly fix: string;
  readonly exit: number;
  /** Further fields of the JSON error, such as the run it is about. */
  readonly details: object;
  /** True where nothing went wrong: the pipeline itself asks for a person. */
  readonly isPlanned: boolean;

  /** @param more `fix`: replaces the usual fix of the code */
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
 * Explains an error of something that a command can do without, its message in one line.
 * @throws the error itself when credentials were refused: then nothing that is planned could be done.
 */
export function explainUnlessRefused(error: unknown): Explanation {
  const explanation = explainError(error);
  if (explanation.exit === exitCode.auth) throw error;
  const { message } = explanation;
  return { ...explanation, message: inOneLine(message) };
}

/** Errors of libraries and of the sandbox are matched by name, so that neither is loaded to explain one. */
function ofOthers({ name, message }: Error): Explanation | null {
  switch (name) {
    case 'WorkflowNotFoundError':
      return ended(
        commandFailures.RUN_NOT_FOUND,
        'Temporal has no open run of this name: it has ended, or there never was one.',
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

// Status numbers of gRPC with a fix of ours.
const grpcEnds: Readonly<Record<number, KnownFailure | undefined>> = {
  4: commandFailures.TEMPORAL_UNREACHABLE,
  5: commandFailures.RUN_NOT_FOUND,
  7: commandFailures.TEMPORAL_DENIED,
  8: commandFailures.TEMPORAL_BUSY,
  14: commandFailures.TEMPORAL_UNREACHABLE,
  16: commandFailures.TEMPORAL_DENIED,
};

function ofGrpc(error: Error): Explanation | null {
  // Temporal's client wraps the transport's error: the status is in the error or its cause.
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
