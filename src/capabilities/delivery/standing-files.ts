// Files of an earlier delivery that show what is delivered now. They are taken where they lie, which asks the platform for
// nothing; one that is not there any more, or not as it was, comes from the platform again.
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
  /** Id of the output that it shows. */
  output: string;
  /** null: the pipeline has its connector no more. */
  place: Connector | null;
  /** No export of the pipeline delivers it there any more: it lies under a name of before, or in the archive. */
  isLeft: boolean;
  /** This export has delivered it: it is trusted as one of an asset that is unchanged. */
  isOwn: boolean;
  /** It lies where it was delivered, as far as is known: no run has withdrawn it. */
  isThere: boolean;
}

/** @param before the asset's last record, and the one that it takes over from another key; null where it has none */
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
  // Each export takes its own files back from the archive.
  return all
    .flatMap((file) => places(file) ?? [])
    .sort((one, other) => Number(other.isOwn) - Number(one.isOwn));
}

/**
 * Tells where files of earlier deliveries lie; null for one of which nobody knows what it is of.
 * @param isMoved their source has another key now, so that all lie under names of before
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
 * True where an output that was delivered lies whole at none of its places, as far as sizes tell: the platform must have it.
 * A connector that the pipeline has no more has nothing.
 */
export async function isAnyAway(
  record: AssetRecord,
  known: KnownRecipes,
  { connectors, connectorNamed }: Pick<Plan, 'connectors'> & Pick<NodeContext, 'connectorNamed'>,
): Promise<boolean> {
  const places = connectorsByMark(known);
  // Of several places one is enough. An image can be made of its picture, but not the other way round.
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

/** Names of connectors by the marks of their deliveries. */
function marksOf(stages: Stages | null | undefined): Map<string, string> {
  return new Map(
    Object.values(stages?.deliveries ?? {}).map(({ mark, connector }) => [mark, connector]),
  );
}

/** The same of all recipes. */
export function connectorsByMark(known: KnownRecipes): Map<string, string> {
  return new Map([...known.values()].flatMap((stages) => [...marksOf(stages)]));
}

/** Files with what they are of. Versions before stages named neither output nor delivery; where there was one it is known. */
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

/** The file of an output as an earlier delivery left it, now at the path that is wanted; null where none is whole. */
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
      // The platform is asked for it, and meets again what is wrong with the destination.
      if (!(error instanceof ConnectorError || error instanceof OutputError)) throw error;
    }
  }
  return null;
}

/** The file as it was taken; one that lay under a name of before says so, that the file there goes. */
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

/** True for a file with these bytes. */
export async function isWhole(
  connector: Connector,
  path: string,
  { bytes, sha256 }: Pick<DeliveredFile, 'bytes' | 'sha256'>,
  { signal }: Pick<NodeContext, 'signal'>,
): Promise<boolean> {
  const there = await connector.stat(path);
  return there?.bytes === bytes && (await sha256Of(connector, path, signal)) === sha256;
}

/** Gives a file another name, also in another place; false where it is not there as it was delivered. */
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
