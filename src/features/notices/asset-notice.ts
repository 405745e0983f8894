// Builds the body of asset notices, and the hash that decides whether an asset needs another notice. Pure.
import { shortSha256 } from '../../language/hash.ts';
import type { StepAsset } from '../../plan/types.ts';
import { noticeBody } from './send-notice.ts';

/** Maximum outputs per asset in a notice; `outputsTotal` counts all. */
const outputsListed = 20;

interface NoticeContext {
  run: string;
  pipeline: string;
  node: string;
  /** Time of the first attempt, so that all attempts send the same bytes. */
  atMs: number;
}

/** The JSON body of a notice. Ids that an asset does not have are left out. */
export function assetNoticeBody(
  assets: readonly StepAsset[],
  { run, pipeline, node, atMs }: NoticeContext,
): string {
  return noticeBody('assets.reached', new Date(atMs).toISOString(), {
    schema: 'renderline/asset-notice/v1',
    run,
    pipeline,
    node,
    assets: assets.map(toNoticeAsset),
  });
}

function toNoticeAsset({ key, source, platformIds, soFar }: StepAsset) {
  const { modelId, templateId, projectId, jobId, variants, variantName, sheet } = platformIds;
  const { outputs = [] } = platformIds;
  return {
    key,
    source: source.path,
    modelId,
    templateId,
    projectId,
    jobId,
    variantIds: variants,
    variantName,
    productionFile: sheet?.fileId && { id: sheet.fileId, name: sheet.name },
    outputs: outputs.slice(0, outputsListed),
    outputsTotal: outputs.length,
    files: (soFar?.files ?? []).map(({ key: _key, ...file }) => file),
    filesTotal: soFar?.filesTotal ?? 0,
    warnings: soFar?.warnings ?? [],
  };
}

/** Hash of the notified state: the source and the resources on the platform. If it is unchanged, no new notice is needed. */
export function hashNoticeContent({ source, platformIds }: StepAsset): string {
  const { modelId = null, projectId = null, jobId = null, variants = [], sheet } = platformIds;
  return shortSha256([source.version, modelId, projectId, jobId, variants, sheet?.fileId ?? null]);
}
