// Tolerates an outage of Temporal while a command follows a run, which keeps running. Retries for a limited time.
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { findGrpcStatus } from '../../failures/grpc-status.ts';
import { explainError, RenderlineError } from '../renderline-error.ts';

/** Time limit of an outage. It is long enough for an upgrade or for the restoration of a database. */
const maxOutageMs = 300_000;

export class ServerOutage {
  readonly #run: string;
  readonly #now: () => number;
  #lastResponseAtMs: number;

  constructor(run: string, now: () => number) {
    this.#run = run;
    this.#now = now;
    this.#lastResponseAtMs = now();
  }

  recordResponse(): void {
    this.#lastResponseAtMs = this.#now();
  }

  /**
   * Handles the error of a failed request and returns a note for the user.
   * @throws the error itself if waiting cannot help; RenderlineError with a resume hint after too long an outage
   */
  tolerateError(error: unknown): string {
    if (error instanceof RenderlineError) throw error;
    const { message, exit } = explainError(error);
    // An error without a gRPC status comes neither from the network nor from the server.
    if (exit === exitCode.auth || findGrpcStatus(error) === null) throw error;
    const minutes = maxOutageMs / 60_000;
    if (this.#now() - this.#lastResponseAtMs <= maxOutageMs) {
      return `Temporal does not respond; the run continues, retrying for up to ${minutes} minutes`;
    }
    throw new RenderlineError(
      commandFailures.TEMPORAL_UNREACHABLE,
      `Temporal has not responded for ${minutes} minutes (${message}). The run ${this.#run} continues without this command.`,
      { fix: formatResumeHint(this.#run), details: { run: this.#run } },
    );
  }
}

/** Formats the commands that follow or cancel a run that continues without its caller. */
export function formatResumeHint(run: string): string {
  return `Follow it again: renderline show ${run} --wait\nCancel it: renderline cancel ${run}`;
}
