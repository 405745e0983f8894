// Distinguishes an error of one file from an error of its location by accessing other files there (decision 065).
import type { Connector } from './connector.ts';
import { ConnectorError, type FileAction } from './connector-error.ts';
import { releaseTempName, reserveTempName } from './disk/temp-names.ts';

/** `worked` is 1 if another file could be read or written, otherwise 0. `refused` counts the other refused files. */
export interface ProbeResult {
  worked: number;
  refused: number;
}

/** Files that fail within this time share one probe. */
const resultCacheMs = 10_000;
/** Number of names from which other files are chosen, and number of files chosen. */
const maxListedNames = 500;
const maxOthersTried = 5;
/** Size of the test file. It is as large as an image, so that a server with a full disk refuses it too. */
const probeBytes = 1024 * 1024;

/** Probes the location by reading files other than `path`, or by writing a file. Never throws. */
export type LocationProbe = (action: FileAction, path: string) => Promise<ProbeResult>;

export function createLocationProbe(connector: Connector): LocationProbe {
  const results = new Map<FileAction, { atMs: number; tried: Promise<ProbeResult> }>();
  return (action, path) => {
    const cachedResult = results.get(action);
    if (cachedResult && performance.now() - cachedResult.atMs < resultCacheMs)
      return cachedResult.tried;
    const tried = action === 'read' ? tryReading(connector, path) : tryWriting(connector);
    results.set(action, { atMs: performance.now(), tried });
    return tried;
  };
}

async function tryReading(connector: Connector, path: string): Promise<ProbeResult> {
  const names: string[] = [];
  // A folder that cannot be listed counts as one refused file, because the files beside it may be readable.
  let refused = 0;
  const onSkipped = () => (refused += 1);
  try {
    for await (const name of connector.names('', { onSkipped })) {
      if (name !== path) names.push(name);
      if (names.length >= maxListedNames) break;
    }
  } catch {
    return { worked: 0, refused: maxOthersTried };
  }
  const step = Math.max(1, Math.floor(names.length / maxOthersTried));
  const others = names.filter((_, index) => index % step === 0).slice(0, maxOthersTried);
  for (const other of others) {
    const error = await connector.readPart(other, 0, 1).catch((failure: unknown) => failure);
    if (!(error instanceof Error)) return { worked: 1, refused };
    // Errors that are certainly the file's own do not count, because they show nothing about the location.
    if (!(error instanceof ConnectorError) || mayAffectLocation('read', error)) refused += 1;
  }
  return { worked: 0, refused };
}

async function tryWriting(connector: Connector): Promise<ProbeResult> {
  const name = reserveTempName();
  try {
    await connector.write(name, new Uint8Array(probeBytes));
    return { worked: 1, refused: 0 };
  } catch {
    return { worked: 0, refused: 1 };
  } finally {
    await connector.remove(name).catch(() => undefined);
    releaseTempName(name);
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
