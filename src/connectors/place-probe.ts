// Tells the trouble of one file from that of its whole place, by trying the same with others (decision 065).
import type { Connector } from './connector.ts';
import { ConnectorError, type FileAction } from './connector-error.ts';
import { endTemp, tempName } from './temp-files.ts';

/** What was tried with other files: how many could be read or written, and how many were refused. */
export interface Tried {
  worked: number;
  refused: number;
}

/** Files that fail at the same time share one answer. */
const answerKeptMs = 10_000;
/** Names that others are chosen from, and how many are. */
const listedNames = 500;
const othersTried = 5;
/** Servers that do not say that they are full refuse so much, as they refuse a picture. */
const probeBytes = 1024 * 1024;

export class PlaceProbe {
  readonly #place: Connector;
  readonly #answers = new Map<FileAction, { atMs: number; tried: Promise<Tried> }>();

  constructor(place: Connector) {
    this.#place = place;
  }

  /** Never throws. @param path of the file that was refused */
  try(action: FileAction, path: string): Promise<Tried> {
    const known = this.#answers.get(action);
    if (known && performance.now() - known.atMs < answerKeptMs) return known.tried;
    const tried = action === 'read' ? this.#read(path) : this.#write();
    this.#answers.set(action, { atMs: performance.now(), tried });
    return tried;
  }

  async #read(path: string): Promise<Tried> {
    const names: string[] = [];
    try {
      for await (const name of this.#place.names()) {
        if (name !== path) names.push(name);
        if (names.length >= listedNames) break;
      }
    } catch {
      return { worked: 0, refused: othersTried };
    }
    const step = Math.max(1, Math.floor(names.length / othersTried));
    const others = names.filter((_, index) => index % step === 0).slice(0, othersTried);
    const tried: Tried = { worked: 0, refused: 0 };
    for (const other of others) {
      const error = await this.#place.readPart(other, 0, 1).catch((failure: unknown) => failure);
      if (!(error instanceof Error)) return { ...tried, worked: 1 };
      // What is known to be a file's own says nothing about the place.
      if (!(error instanceof ConnectorError) || mayBeOfPlace('read', error)) tried.refused += 1;
    }
    return tried;
  }

  async #write(): Promise<Tried> {
    const name = tempName();
    try {
      await this.#place.write(name, new Uint8Array(probeBytes));
      return { worked: 1, refused: 0 };
    } catch {
      return { worked: 0, refused: 1 };
    } finally {
      await this.#place.remove(name).catch(() => undefined);
      endTemp(name);
    }
  }
}

const ofEither: Readonly<Record<FileAction, readonly ConnectorError['code'][]>> = {
  read: ['ACCESS_DENIED', 'UNREADABLE', 'NOT_A_FOLDER'],
  write: ['ACCESS_DENIED', 'UNWRITABLE', 'NOT_A_FOLDER'],
};

/** True for a refusal that one file may meet as well as all of them. */
export function mayBeOfPlace(action: FileAction, { code }: ConnectorError): boolean {
  return ofEither[action].includes(code);
}
