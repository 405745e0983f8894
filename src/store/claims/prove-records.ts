// Proves that a connector's location can hold records. A store may accept a conditional create but ignore the
// condition, so that two runs claim one asset and pay twice. The only way to know is to try, so the first run tries
// before anything is paid for (decision 066).
import { randomUUID } from 'node:crypto';
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';

/** Increase this when connectors change how they create, replace, list or delete: all locations are proved again. */
const proofVersion = 1;

/** Folder of the test file of a proof. Folders of pipelines have no dot in their names, so none clashes with it. */
const folder = '.renderline/proof.d';

/** Identifies a proof: the location as this connector describes it, and the version of the proof. */
export function proofIdOf(records: Connector): string {
  return `v${proofVersion} ${records.describe()}`;
}

/**
 * Creates, lists, replaces and deletes one small file, in about eight requests.
 * @throws ConnectorError RECORDS_UNSAFE with what the location does wrong; other codes if it cannot be used now
 */
export async function proveRecords(records: Connector): Promise<void> {
  await records.checkWritable?.();
  const trial = new RecordsTrial(records);
  try {
    await trial.create();
    await trial.list();
    await trial.replace();
    await trial.remove();
  } catch (error) {
    // The first error is reported, even if the test file cannot be deleted.
    await records.remove(trial.path).catch(() => undefined);
    throw error;
  }
}

class RecordsTrial {
  path = createPath();
  readonly #records: Connector;

  constructor(records: Connector) {
    this.#records = records;
  }

  async create(): Promise<void> {
    if ((await this.#createFirst()) !== 'written') {
      throw this.#unsafeError('the location reports that a file exists which was never created');
    }
    const second = await this.#asUnsafe(
      'a second create of the same file fails, but not because the file exists',
      () => this.#createAs('second'),
    );
    if (second !== 'exists') {
      throw this.#unsafeError('a second create of the same file was accepted');
    }
    await this.#assertContent('first', 'a create that was refused has changed the file');
  }

  async list(): Promise<void> {
    const isListed = await this.#asUnsafe('listing is refused', async () => {
      for await (const path of this.#records.names(folder)) if (path === this.path) return true;
      return false;
    });
    if (!isListed) throw this.#unsafeError('a listing does not show a file that was just written');
  }

  async replace(): Promise<void> {
    await this.#asUnsafe('replacing a file is refused', () => this.#write('third'));
    await this.#assertContent('third', 'a file that was replaced still has its old content');
  }

  async remove(): Promise<void> {
    await this.#asUnsafe('deleting a file is refused', () => this.#records.remove(this.path));
    const entry = await this.#asUnsafe('checking whether a file exists is refused', () =>
      this.#records.stat(this.path),
    );
    if (entry !== null) throw this.#unsafeError('a file that was deleted still exists');
  }

  /**
   * Repeats the conditional create under a new name if it fails but a plain write works. If the repetition fails too,
   * the location does not support conditional creates. If it works, the failure was temporary. In that case, and if the
   * plain write fails too, throws the first error.
   */
  async #createFirst(): Promise<'written' | 'exists'> {
    try {
      return await this.#createAs('first');
    } catch (error) {
      await this.#write('first').catch(() => {
        throw error;
      });
      await this.#records.remove(this.path).catch(() => undefined);
      this.path = createPath();
      await this.#createAs('first').catch((retryError: unknown) => {
        throw retryError instanceof ConnectorError
          ? this.#unsafeError(
              `a conditional create is refused: ${reasonOf(retryError)}`,
              retryError,
            )
          : retryError;
      });
      // The error is thrown because the failure was temporary, so that the run retries.
      throw error;
    }
  }

  #createAs(content: string): Promise<'written' | 'exists'> {
    return this.#write(content, { ifAbsent: true, durable: true });
  }

  #write(content: string, options = {}): Promise<'written' | 'exists'> {
    return this.#records.write(this.path, Buffer.from(content), options);
  }

  async #assertContent(content: string, otherwise: string): Promise<void> {
    const bytes = await this.#asUnsafe('a file that was just written cannot be read', () =>
      this.#records.read(this.path),
    );
    if (bytes.toString() !== content) throw this.#unsafeError(otherwise);
  }

  /**
   * Turns a refusal into RECORDS_UNSAFE: UNWRITABLE, CONNECTOR_MISCONFIGURED and failures of the test file itself.
   * Throws all other errors unchanged, for example ACCESS_DENIED, DISK_FULL or an unreachable server.
   */
  async #asUnsafe<T>(problem: string, task: () => Promise<T>): Promise<T> {
    return task().catch((error: unknown) => {
      const isRefused =
        error instanceof ConnectorError &&
        (error.isOfOneFile || ['UNWRITABLE', 'CONNECTOR_MISCONFIGURED'].includes(error.code));
      throw isRefused ? this.#unsafeError(`${problem}: ${reasonOf(error)}`, error) : error;
    });
  }

  #unsafeError(problem: string, cause?: unknown): ConnectorError {
    return new ConnectorError(
      'RECORDS_UNSAFE',
      '',
      `${this.#records.describe()} cannot hold the records of runs: ${problem}`,
      'set another location under `records:` in the pipeline file, such as a folder that all workers share, or a bucket or server with conditional creates',
      { cause },
    );
  }
}

/** Returns the reason without file and location, which the message already contains. */
function reasonOf({ what }: ConnectorError): string {
  return what.slice(what.lastIndexOf(': ') + 1).trim();
}

function createPath(): string {
  return `${folder}/${randomUUID()}.json`;
}
