// Files of earlier deliveries with the content to deliver now. They are reused without requests to the platform. A file that was
// deleted or changed is downloaded again.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { DeliveredFile, Plan, Stages, StepAsset } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { sha256Of } from '../../store/discovery/list-files.ts';
import { type KnownRecipes, stagesUnder } from '../../store/records/recipes.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { OutputRef } from '../renders/refs.ts';
import type { Wanted } from './fetch-file.ts';
import { OutputError } from './output-error.ts';
import { byName } from './outputs.ts';

export interface StandingFile {
  file: DeliveredFile;
  /** Id of the output that the file contains. */
  output: string;
  /** null if the pipeline no longer has the connector. */
  place: Connector | null;
  /** No export delivers the file to this path any more: the path is an old one, or in the archive. */
  isLeft: boolean;
  /** This export delivered the file, so the file is trusted like that of an unchanged asset. */
  isOwn: boolean;
  /** No run has withdrawn the file, so it should be where it was delivered. */
  isThere: boolean;
}

/** @param before the asset's last record, and the record under its previous key; null if there is none */
export async function standingFiles(
  { refs }: Pick<StepAsset, 'refs'>,
  before: { record: AssetRecord | null; moved: AssetRecord | null },
  context: Pick<NodeContext, 'store' | 'run' | 'step' | 'connectorNamed'>,
): Promise<StandingFile[]> {
  const { stands, delivered = [] } = refs;
  if (!stands && !before.moved && delivered.length === 0) return [];
  const known = await context.store.recipes.known();
  const { moved } = before;
  const record = moved ?? before.record;
  const places = await knownPlaces(context, moved !== null);
  const isUsed = stands !== undefined || moved !== null;
  const all = [...delivered, ...(isUsed && record ? withOutputs(record, known) : [])];
  // An export restores its own files from the archive.
  return all
    .flatMap((file) => places(file) ?? [])
    .sort((one, other) => Number(other.isOwn) - Number(one.isOwn));
}

/**
 * Returns a function that locates a file of an earlier delivery; null if its output or delivery is unknown.
 * @param isMoved true if the source has another key now, so that all paths are old ones
 */
export async function knownPlaces(
  {
    store: { recipes, context: now },
    run,
    step,
    connectorNamed,
  }: Pick<NodeContext, 'store' | 'run' | 'step' | 'connectorNamed'>,
  isMoved: boolean,
): Promise<(file: DeliveredFile) => StandingFile | null> {
  const known = await recipes.known();
  const marks = marksOf(known.get(now.recipe));
  const places = connectorsByMark(known);
  return (file) => {
    const { delivery, output, withdrawn } = file;
    if (output === undefined || delivery === undefined) return null;
    const name = places.get(delivery) ?? '';
    const place = name in run.connectors ? connectorNamed(name) : null;
    return {
      file,
      output,
      place,
      isLeft: isMoved || !marks.has(delivery) || withdrawn === 'archived',
      isOwn: delivery === step.delivery,
      isThere: withdrawn === undefined,
    };
  };
}

/**
 * True if some delivered output is complete at none of its locations, judging by size, so that it must come from the platform.
 * Connectors that the pipeline no longer has do not count.
 */
export async function isAnyAway(
  record: AssetRecord,
  known: KnownRecipes,
  { connectors, connectorNamed }: Pick<Plan, 'connectors'> & Pick<NodeContext, 'connectorNamed'>,
): Promise<boolean> {
  const places = connectorsByMark(known);
  // One of several locations is enough. A missing image can be derived from its picture, but not the reverse.
  const pictures = new Map<string, boolean>();
  const images = new Map<string, { of: string; isThere: boolean }>();
  for (const { path, bytes, image, delivery = '', output = path } of withOutputs(record, known)) {
    const name = places.get(delivery) ?? '';
    const there = name in connectors ? await connectorNamed(name).stat(path) : null;
    const isThere = there?.bytes === bytes;
    if (image === undefined) pictures.set(output, isThere || pictures.get(output) === true);
    else {
      const before = images.get(`${output} ${image}`)?.isThere === true;
      images.set(`${output} ${image}`, { of: output, isThere: isThere || before });
    }
  }
  const isAway = [...images.values()].some(({ of, isThere }) => !isThere && !pictures.get(of));
  return isAway || [...pictures.values()].includes(false);
}

/** Connector names by delivery, for one recipe. */
function marksOf(stages: Stages | null | undefined): Map<string, string> {
  return new Map(
    Object.values(stages?.deliveries ?? {}).map(({ mark, connector }) => [mark, connector]),
  );
}

/** Connector names by delivery, for all recipes. */
export function connectorsByMark(known: KnownRecipes): Map<string, string> {
  return new Map([...known.values()].flatMap((stages) => [...marksOf(stages)]));
}

/** Files with their output and delivery. Old records lack both; they are filled in if the recipe had exactly one delivery. */
export function withOutputs(
  { files, refs, recipe, source }: AssetRecord,
  known: KnownRecipes,
): DeliveredFile[] {
  const outputs = [...(refs.outputs ?? [])].sort(byName).map(({ id }) => id);
  const all = [...outputs, ...(refs.sheet?.fileId === undefined ? [] : [refs.sheet.fileId])];
  const marks = [...marksOf(stagesUnder(known, recipe, source)).keys()];
  const [delivery] = marks;
  if (marks.length !== 1 || all.length !== files.length) return files;
  return files.map((file, index) => ({
    ...withoutUndefined({ delivery, output: all[index] }),
    ...file,
  }));
}

/** Brings an existing file to the wanted path; null if no existing file is intact. */
export async function takeStanding(
  wanted: Pick<Wanted, 'key' | 'path' | 'inspect'> & { output: OutputRef; connector: Connector },
  standing: readonly StandingFile[],
  context: Pick<NodeContext, 'signal' | 'heartbeat' | 'holdLease'>,
): Promise<{ came: DeliveredFile; from: StandingFile } | null> {
  for (const from of standing) {
    try {
      const { change: _change, was: _was, withdrawn: _withdrawn, ...file } = from.file;
      const { key, path } = wanted;
      const isThere = await isWhole(wanted.connector, path, file, context);
      if (isThere || (await copy(from, wanted, context))) {
        return { came: { ...file, key, path }, from };
      }
    } catch (error) {
      context.signal.throwIfAborted();
      // The file is downloaded instead; a broken destination then reports its error.
      if (!(error instanceof ConnectorError || error instanceof OutputError)) throw error;
    }
  }
  return null;
}

/** The delivered file. `was` is set if the old path must be removed. */
export function takenAs(
  { came, from }: { came: DeliveredFile; from: StandingFile },
  {
    connector,
    path,
    supersede,
  }: { connector: Connector; path: string; supersede: 'remove' | 'keep' | undefined },
): DeliveredFile {
  const isRenamed = from.isLeft && from.place === connector && from.file.path !== path;
  return isRenamed && supersede !== 'keep' ? { ...came, was: from.file.path } : came;
}

/** True if the file exists with this size and hash. */
export async function isWhole(
  connector: Connector,
  path: string,
  { bytes, sha256 }: Pick<DeliveredFile, 'bytes' | 'sha256'>,
  { signal }: Pick<NodeContext, 'signal'>,
): Promise<boolean> {
  const there = await connector.stat(path);
  return there?.bytes === bytes && (await sha256Of(connector, path, signal)) === sha256;
}

/** Copies a file to another path or connector; false if the file is not as it was delivered. */
export async function copy(
  { file, place }: Pick<StandingFile, 'file' | 'place'>,
  { path, connector, inspect }: Pick<Wanted, 'path' | 'inspect'> & { connector: Connector },
  { signal, heartbeat, holdLease }: Pick<NodeContext, 'signal' | 'heartbeat' | 'holdLease'>,
): Promise<boolean> {
  const there = await place?.stat(file.path);
  if (!place || there?.bytes !== file.bytes) return false;
  const staged = await connector.stage(path);
  try {
    const sha256 = await sha256Of(place, file.path, signal, (chunk) => {
      heartbeat();
      return staged.write(chunk);
    });
    if (sha256 !== file.sha256) return false;
    await inspect(staged.file, sha256);
    await holdLease();
    await staged.commit({ signal, onProgress: heartbeat });
    return true;
  } finally {
    await staged.discard().catch(() => undefined);
  }
}
