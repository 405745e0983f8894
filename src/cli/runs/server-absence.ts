// Tolerates an outage of the Temporal server while a command follows a run. The run continues, so the command retries for
// a limited time.
import { looseFields } from '../../api/loose-fields.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { CliError, explainError } from '../exit.ts';
import { wayBack } from './way-back.ts';

/** Long enough for an upgrade or for the restore of a database. */
const patienceMs = 300_000;

export class ServerAbsence {
  readonly #run: string;
  readonly #now: () => number;
  #answeredAtMs: number;

  constructor(run: string, now: () => number) {
    this.#run = run;
    this.#now = now;
    this.#answeredAtMs = now();
  }

  answered(): void {
    this.#answeredAtMs = this.#now();
  }

  /**
   * Handles the error of a failed request and returns a note for the user.
   * @throws the error itself if waiting cannot help; CliError with a resume hint if the outage lasts too long
   */
  bear(error: unknown): string {
    if (error instanceof CliError) throw error;
    const { message, exit } = explainError(error);
    if (exit === exitCode.auth || !isOfServer(error)) throw error;
    const minutes = patienceMs / 60_000;
    if (this.#now() - this.#answeredAtMs <= patienceMs) {
      return `Temporal does not respond; the run continues, retrying for up to ${minutes} minutes`;
    }
    throw new CliError(
      commandFailures.TEMPORAL_UNREACHABLE,
      `Temporal has not responded for ${minutes} minutes (${message}). The run ${this.#run} continues without this command.`,
      { fix: wayBack(this.#run), details: { run: this.#run } },
    );
  }
}

/** True if the error or its cause has a gRPC status, so that the request failed in transit or at the server. */
function isOfServer(error: unknown): boolean {
  return [error, looseFields(error)['cause']].some((one) => {
    return typeof looseFields(one)['code'] === 'number';
  });
}

/** Retries `ask` until the server responds. Calls `tell` once if it does not; `pause` may reject to stop retrying. */
export async function untilAnswered<Answer>(
  absence: ServerAbsence,
  ask: () => Promise<Answer>,
  { tell, pause }: { tell: (remark: string) => void; pause: () => Promise<void> },
): Promise<Answer> {
  for (let told = false; ; told = true) {
    try {
      const answer = await ask();
      absence.answered();
      return answer;
    } catch (error) {
      const remark = absence.bear(error);
      if (!told) tell(remark);
      await pause();
    }
  }
}
