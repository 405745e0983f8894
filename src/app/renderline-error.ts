// Converts errors into messages, fixes and exit codes.

import { escapeToOneLine } from '../api/responses/plain-text.ts';
import { asRecord } from '../api/unknown-values.ts';
import { commandFailures } from '../failures/commands.ts';
import type { KnownFailure } from '../failures/define.ts';
import { failureOf, networkFailureOf } from '../failures/error-to-failure.ts';
import { exitCode } from '../failures/exit-code.ts';
import { grpcCode, grpcStatusOf } from '../temporal/connection/grpc-status.ts';

type ExitReason = Pick<KnownFailure, 'code' | 'fix'> & { readonly exit: number };

/** An error with a code of docs/errors.md, a message for the user and a fix. */
export class RenderlineError extends Error {
  override name = 'RenderlineError';
  readonly code: string;
  readonly fix: string;
  readonly exit: number;
  /** Additional fields of the JSON error, such as the run. */
  readonly details: object;
  /** True when nothing failed and the run waits for an approval as its pipeline demands. */
  readonly isAwaitingApproval: boolean;

  /** @param more `fix` replaces the default fix of the failure code */
  constructor(
    end: ExitReason,
    message: string,
    more: { fix?: string; details?: object; isAwaitingApproval?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.exit = end.exit;
    this.code = end.code;
    this.fix = more.fix ?? end.fix;
    this.details = more.details ?? {};
    this.isAwaitingApproval = more.isAwaitingApproval ?? false;
  }
}

export interface Explanation {
  exit: number;
  code: string;
  message: string;
  fix: string;
  details?: object;
  isAwaitingApproval?: boolean;
}

/** Does the work and converts its errors. @throws RenderlineError */
export async function withRenderlineErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RenderlineError) throw error;
    const { message, ...explanation } = explainError(error);
    throw new RenderlineError(explanation, message, { ...explanation, cause: error });
  }
}

export function explainError(error: unknown): Explanation {
  if (error instanceof RenderlineError) return error;
  if (!(error instanceof Error)) return toExplanation(commandFailures.INTERNAL, String(error));
  const ownFailure = failureOf(error);
  if (ownFailure) return toExplanation(ownFailure.failure, ownFailure.message, ownFailure.fix);
  const known =
    explainLibraryError(error) ??
    explainSystemError(error) ??
    explainGrpcError(error) ??
    explainNetworkError(error);
  return known ?? toExplanation(commandFailures.INTERNAL, error.message || error.name);
}

/**
 * Explains an error of an optional part of a command, with the message in one line.
 * @throws the error itself when credentials were refused, because then the main work would fail too.
 */
export function explainUnlessUnauthorized(error: unknown): Explanation {
  const explanation = explainError(error);
  if (explanation.exit === exitCode.auth) throw error;
  const { message } = explanation;
  return { ...explanation, message: escapeToOneLine(message) };
}

/** Matches errors of libraries and of the sandbox by name, to avoid loading those modules here. */
function explainLibraryError({ name, message }: Error): Explanation | null {
  switch (name) {
    case 'WorkflowNotFoundError':
      return toExplanation(
        commandFailures.RUN_NOT_FOUND,
        'Temporal has no open run of this name: it has ended or never existed.',
      );
    case 'AbortError':
      return toExplanation(commandFailures.INTERRUPTED, 'Interrupted.', '');
    case 'SandboxOptionError':
      return toExplanation(commandFailures.USAGE, message, '');
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

function explainSystemError(error: Error): Explanation | null {
  const code = systemCodes.find((one) => one === textField(error, 'code'));
  if (code === undefined) return null;
  const path = code === 'ENOENT' ? textField(error, 'path') : '';
  const fix = path === '' ? commandFailures[code].fix : `Check the path: ${path}`;
  return toExplanation(commandFailures[code], error.message, fix);
}

function explainNetworkError(error: Error): Explanation | null {
  const network = networkFailureOf(error);
  return network && toExplanation(network.failure, network.message, network.fix);
}

// Failures by gRPC status code.
const grpcFailures: Readonly<Record<number, KnownFailure | undefined>> = {
  [grpcCode.deadlineExceeded]: commandFailures.TEMPORAL_UNREACHABLE,
  [grpcCode.notFound]: commandFailures.RUN_NOT_FOUND,
  [grpcCode.permissionDenied]: commandFailures.TEMPORAL_DENIED,
  [grpcCode.resourceExhausted]: commandFailures.TEMPORAL_BUSY,
  [grpcCode.unavailable]: commandFailures.TEMPORAL_UNREACHABLE,
  [grpcCode.unauthenticated]: commandFailures.TEMPORAL_DENIED,
};

function explainGrpcError(error: Error): Explanation | null {
  const status = grpcStatusOf(error);
  const end = status === null ? undefined : grpcFailures[status.code];
  return end === undefined
    ? null
    : toExplanation(end, `Temporal: ${status?.details || error.message}`);
}

function textField(error: unknown, name: string): string {
  const value = asRecord(error)[name];
  return typeof value === 'string' ? value : '';
}

function toExplanation(
  { exit, code, fix }: ExitReason,
  message: string,
  fixText = fix,
): Explanation {
  return { exit, code, message, fix: fixText };
}
