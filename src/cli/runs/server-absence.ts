// A Temporal server that restarts while a command follows a run: the run goes on, so the command waits, but not for ever.
import { looseFields } from '../../api/loose-fields.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { CliError, explainError } from '../exit.ts';
import { wayBack } from './way-back.ts';

/** Long enough for an upgrade, or for a database that is restored. */
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
   * Takes the error of a question that the server did not answer; gives a remark for whoever waits.
   * @throws the error itself where waiting does not help; CliError with the way back once patience has ended
   */
  bear(error: unknown): string {
    if (error instanceof CliError) throw error;
    const { message, exit } = explainError(error);
    if (exit === exitCode.auth || !isOfServer(error)) throw error;
    const minutes = patienceMs / 60_000;
    if (this.#now() - this.#answeredAtMs <= patienceMs) {
      return `Temporal does not answer; the run goes on, trying again for ${minutes} minutes`;
    }
    throw new CliError(
      commandFailures.TEMPORAL_UNREACHABLE,
      `Temporal has not answered for ${minutes} minutes (${message}). The run ${this.#run} goes on without this command.`,
      { fix: wayBack(this.#run), details: { run: this.#run } },
    );
  }
}

/** Whether the question failed on its way, or at the server: then the error, or its cause, has a status of gRPC. */
function isOfServer(error: unknown): boolean {
  return [error, looseFields(error)['cause']].some((one) => {
    return typeof looseFields(one)['code'] === 'number';
  });
}

/** Asks until the server answers. `tell` hears once that it does not; `pause` may end the wait by an error. */
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
