// Takes files to the platform: broken ones are refused before upload, the others go up in unified jobs
// of 50, and one by one where a job cannot take them (design section 2, the planner).
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { callsOf, earlierCalls } from '../../machinery/submit/earlier-calls.ts';
import { isLargeFile } from '../../machinery/transfer-slots.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { confirmJobUploads, createJob, createModels } from './creations.ts';
import { inspectFile } from './look-at-file.ts';
import type { IngestConfig } from './model-records.ts';
import { uploadByJob } from './upload-by-job.ts';
import { uploadByModels } from './upload-by-models.ts';

/** Calls of a step that takes files up. */
const uploadCalls = [createJob, createModels, confirmJobUploads] as const;

export async function ingest(
  config: IngestConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const results: AssetResult[] = assets
    .filter(({ refs }) => refs.modelId)
    .map(({ key }) => ({ key, outcome: 'done' }));
  const fresh = assets.filter(({ refs }) => !refs.modelId);
  if (fresh.length === 0) return results;
  const looks = await context.transfers.each(fresh, (asset) => lookAtModel(asset, config, context));
  const earlier = await earlierCalls(fresh, uploadCalls, context);
  const wentAlone = callsOf(createModels, earlier);
  const alone = new Set(wentAlone.flatMap(({ about }) => [...about]));
  // A group must be uploaded well within the hour that its links live.
  const goesAlone = ({ key, source }: StepAsset) =>
    config.category !== undefined || isLargeFile(source) || alone.has(key);
  const isRefused = (asset: StepAsset) => looks[fresh.indexOf(asset)]?.refused;
  const filesOf = (some: StepAsset[]) => ({
    assets: some.filter((asset) => !isRefused(asset)),
    refused: some.filter(isRefused),
    earlier,
  });
  const together = filesOf(fresh.filter((asset) => !goesAlone(asset)));
  const byJob = await uploadByJob(together, config, context);
  const single = filesOf([...fresh.filter(goesAlone), ...byJob.left]);
  results.push(...byJob.results, ...(await uploadByModels(single, config, context)));
  return withLooks(results, looks);
}

/** Adds the findings about each file to its result. An earlier attempt may have taken a file that is refused now. */
export function withLooks(results: readonly AssetResult[], looks: readonly Seen[]): AssetResult[] {
  const ended = new Set(results.map(({ key }) => key));
  const refused = looks.flatMap((seen) => (ended.has(seen.key) ? [] : (seen.refused ?? [])));
  const seen = new Map(looks.map((look) => [look.key, look]));
  return [...results, ...refused].map((result) => {
    const { warnings = [], drawn } = seen.get(result.key) ?? {};
    if (result.outcome !== 'done') return result;
    const refs = drawn === undefined ? result.refs : { ...result.refs, drawn };
    return {
      ...result,
      ...(refs === undefined ? {} : { refs }),
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  });
}

export interface Seen {
  key: string;
  refused: AssetResult | null;
  warnings: string[];
  /** See Refs. */
  drawn?: string;
}

/** Our own look before upload: the platform gives no reason for a model that fails (2.2). */
export async function lookAtModel(
  { key, source }: StepAsset,
  config: { connector: string },
  context: NodeContext,
): Promise<Seen> {
  context.heartbeat();
  const connector = context.connectorNamed(config.connector);
  const { look, fault } = await inspectFile(source, connector, context.signal);
  if (fault !== null) {
    return { key, refused: fail(fault.failure, key, fault.message), warnings: [] };
  }
  const warnings = look.warnings.map(({ message }) => message);
  if (look.container === 'other') return { key, refused: null, warnings };
  const drawn = `${look.variants.length}/${look.animations}`;
  return { key, refused: null, warnings, drawn };
}
