// Files of an earlier delivery that show what is delivered now. They are taken where they lie, which asks the platform for
// nothing; one that is not there any more, or not as it was, comes from the platform again.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { DeliveredFile, Stages, StepAsset } from '../../plan/types.ts';
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
  /** No export of the pipeline delivers it any more: it lies under a name of before. */
  isLeft: boolean;
  /** This export has delivered it: it is trusted as one of an asset that is unchanged. */
  isOwn: boolean;
}

/** @param before the asset's last record, and the one that it takes over from another key; null where it has none */
export async function standingFiles(
  { refs }: Pick<StepAsset, 'refs'>,
  before: { record: AssetRecord | null; moved: AssetRecord | null },
  context: Pick<NodeContext, 'store' | 'run' | 'step' | 'connectorNamed'>,
): Promise<StandingFile[]> {
  const { stands, delivered = [] } = refs;
  if (!stands && !before.moved && delivered.length === 0) return [];
  const { recipes, context: run } = context.store;
  const known = await recipes.known();
  const now = marksOf(known.get(run.recipe));
  const places = new Map([...known.values()].flatMap((stages) => [...marksOf(stages)]));
  const { moved } = before;
  const record = moved ?? before.record;
  const isUsed = stands !== undefined || moved !== null;
  const all = [...delivered, ...(isUsed && record ? withOutputs(record, known) : [])];
  return all.flatMap((file): StandingFile[] => {
    const { delivery, output } = file;
    if (output === undefined || delivery === undefined) return [];
    const name = places.get(delivery) ?? '';
    const place = name in context.run.connectors ? context.connectorNamed(name) : null;
    return [
      {
        file,
        output,
        place,
        isLeft: moved !== null || !now.has(delivery),
        isOwn: delivery === context.step.delivery,
      },
    ];
  });
}

/** Names of connectors by the marks of their deliveries. */
function marksOf(stages: Stages | null | undefined): Map<string, string> {
  return new Map(
    Object.values(stages?.deliveries ?? {}).map(({ mark, connector }) => [mark, connector]),
  );
}

/** Files with what they are of. Versions before stages named neither output nor delivery; where there was one it is known. */
function withOutputs(
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
  wanted: Pick<Wanted, 'key' | 'path' | 'connector' | 'inspect'> & { output: OutputRef },
  standing: readonly StandingFile[],
  context: Pick<NodeContext, 'signal' | 'heartbeat' | 'holdLease'>,
): Promise<{ came: DeliveredFile; from: StandingFile } | null> {
  for (const from of standing) {
    try {
      const { change: _change, was: _was, ...file } = from.file;
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

async function copy(
  { file, place }: StandingFile,
  { path, connector, inspect }: Pick<Wanted, 'path' | 'connector' | 'inspect'>,
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
    await inspect(staged.file);
    await holdLease();
    await staged.commit({ signal, onProgress: heartbeat });
    return true;
  } finally {
    await staged.discard().catch(() => undefined);
  }
}
