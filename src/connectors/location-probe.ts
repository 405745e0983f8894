// Distinguishes an error of one file from an error of its location by accessing other files there (decision 065).
import type { Connector } from './connector.ts';
import { ConnectorError, type FileAction } from './connector-error.ts';
import { releaseTempName, reserveTempName } from './disk/temp-names.ts';

/** `worked`: 1 if another file could be read or written, else 0. `refused`: number of other refused files. */
export interface ProbeResult {
  worked: number;
  refused: number;
}

/** Files that fail within this time share one probe. */
const resultCacheMs = 10_000;
/** Number of names to choose other files from, and number of chosen files. */
const maxListedNames = 500;
const maxOthersTried = 5;
/** Size of the test file: as large as an image, so that a server whose disk is full refuses it too. */
const probeBytes = 1024 * 1024;

export class LocationProbe {
  readonly #connector: Connector;
  readonly #results = new Map<FileAction, { atMs: number; tried: Promise<ProbeResult> }>();

  constructor(connector: Connector) {
    this.#connector = connector;
  }

  /** Probes the location. Never throws. @param path the refused file */
  try(action: FileAction, path: string): Promise<ProbeResult> {
    const cachedResult = this.#results.get(action);
    if (cachedResult && performance.now() - cachedResult.atMs < resultCacheMs)
      return cachedResult.tried;
    const result = action === 'read' ? this.#read(path) : this.#write();
    this.#results.set(action, { atMs: performance.now(), tried: result });
    return result;
  }

  async #read(path: string): Promise<ProbeResult> {
    const names: string[] = [];
    try {
      for await (const name of this.#connector.names()) {
        if (name !== path) names.push(name);
        if (names.length >= maxListedNames) break;
      }
    } catch {
      return { worked: 0, refused: maxOthersTried };
    }
    const step = Math.max(1, Math.floor(names.length / maxOthersTried));
    const others = names.filter((_, index) => index % step === 0).slice(0, maxOthersTried);
    const result: ProbeResult = { worked: 0, refused: 0 };
    for (const other of others) {
      const error = await this.#connector
        .readPart(other, 0, 1)
        .catch((failure: unknown) => failure);
      if (!(error instanceof Error)) return { ...result, worked: 1 };
      // Errors that are certainly the file's own show nothing about the location.
      if (!(error instanceof ConnectorError) || mayAffectLocation('read', error))
        result.refused += 1;
    }
    return result;
  }

  async #write(): Promise<ProbeResult> {
    const name = reserveTempName();
    try {
      await this.#connector.write(name, new Uint8Array(probeBytes));
      return { worked: 1, refused: 0 };
    } catch {
      return { worked: 0, refused: 1 };
    } finally {
      await this.#connector.remove(name).catch(() => undefined);
      releaseTempName(name);
    }
  }
}

const ambiguousCodes: Readonly<Record<FileAction, readonly ConnectorError['code'][]>> = {
  read: ['ACCESS_DENIED', 'UNREADABLE', 'NOT_A_FOLDER'],
  write: ['ACCESS_DENIED', 'UNWRITABLE', 'NOT_A_FOLDER'],
};

/** True for a refusal that may be about one file or about all files. */
export function mayAffectLocation(action: FileAction, { code }: ConnectorError): boolean {
  return ambiguousCodes[action].includes(code);
}
