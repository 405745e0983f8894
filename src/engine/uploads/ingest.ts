// Takes files to the platform: broken ones are refused before upload, the others go up in unified jobs
// of 50, and one by one where a job cannot take them (design section 2, the planner).
import { type Look, lookAtSource } from '../../glb/look.ts';
import type { NodeContext } from '../../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { sourceBytes, sourceFailure } from './source-file.ts';
import { uploadByJob } from './upload-by-job.ts';
import { uploadByModels } from './upload-by-models.ts';
import { fileTypeOf } from './upload-names.ts';

/** Larger files go alone: a group must be uploaded well within the hour that its links live. */
const bigFileBytes = 64 * 1024 * 1024;

export interface IngestConfig {
  connector: string;
  category?: string | undefined;
}

export async function ingest(
  config: IngestConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const results: AssetResult[] = assets
    .filter(({ refs }) => refs.modelId)
    .map(({ key }) => ({ key, outcome: 'done' }));
  const fresh = assets.filter(({ refs }) => !refs.modelId);
  const looks = await context.transfers.each(fresh, (asset) => lookAtModel(asset, config, context));
  results.push(...looks.flatMap(({ refused }) => refused ?? []));
  const sound = fresh.filter((_, index) => !looks[index]?.refused);
  const alone = sound.filter(
    (asset) => config.category !== undefined || asset.source.bytes > bigFileBytes,
  );
  const together = sound.filter((asset) => !alone.includes(asset));
  const byJob = await uploadByJob(together, config, context);
  results.push(...byJob.results);
  results.push(...(await uploadByModels([...alone, ...byJob.left], config, context)));
  const warnings = new Map(looks.map((seen) => [seen.key, seen.warnings]));
  return results.map((result) => withWarnings(result, warnings.get(result.key) ?? []));
}

export interface Seen {
  key: string;
  refused: AssetResult | null;
  warnings: string[];
}

/** Our own look before upload: the platform gives no reason for a model that fails (2.2). */
export async function lookAtModel(
  asset: StepAsset,
  config: { connector: string },
  context: NodeContext,
): Promise<Seen> {
  context.heartbeat();
  const { key, source } = asset;
  const refused = (code: string, message: string): Seen => ({
    key,
    refused: { key, outcome: 'failed', code, message },
    warnings: [],
  });
  const fileType = fileTypeOf(source.path);
  if (fileType === null) {
    return refused(
      'NO_FILE_TYPE',
      `"${source.path}" needs an extension of 1 to 8 letters or digits`,
    );
  }
  let seen: Look;
  try {
    const connector = context.connectorNamed(config.connector);
    const bytes = sourceBytes(source, connector, context.signal);
    seen = await lookAtSource(bytes, fileType);
  } catch (error) {
    const failure = sourceFailure(error);
    if (!failure) throw error;
    return refused(failure.code, failure.message);
  }
  if (seen.verdict === 'reject') return refused(seen.code ?? 'REFUSED', seen.message);
  return { key, refused: null, warnings: seen.warnings.map(({ message }) => message) };
}

/** What was noted of a file is said with what became of it. */
export function withWarnings(result: AssetResult, warnings: string[]): AssetResult {
  return result.outcome === 'done' && warnings.length > 0 ? { ...result, warnings } : result;
}
