// Explains why the next run would process or skip an asset, using the same code as discovery. Read-only.
import { findNearestName } from '../../api/requests/nearest-name.ts';
import { escapeToOneLine } from '../../api/responses/plain-text.ts';
import { commandFailures } from '../../failures/commands.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { Claim } from '../../store/claims/claims.ts';
import { keyVerdictOf } from '../../store/discovery/key-verdict.ts';
import { decodeKey } from '../../store/objects/object-name.ts';
import { modelKeyOf } from '../../store/records/cell-keys.ts';
import { KeyStatusReader } from '../../store/runs/key-status.ts';
import { readNamespaceId, TemporalWorkflowQueries } from '../../temporal/runs/workflow-queries.ts';
import type { App } from '../app.ts';
import { compilePipeline } from '../compile-pipeline.ts';
import { type Preview, previewAssets } from '../plan/preview-assets.ts';
import { explainUnlessUnauthorized, RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import {
  formatReason,
  isAssetTaken,
  isProcessedNext,
  type KeyExplanation,
} from './asset-verdict.ts';
import { readPropertyConditions } from './property-conditions.ts';

const maxCompared = 10_000;
const maxKeysShown = 5;

/** @param subject key, path or platform id @throws RenderlineError if neither the source nor the records contain it */
export async function explainAsset(
  app: App,
  subject: string,
  file: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<{ shape: ReturnType<typeof shapeOf>; explanation: KeyExplanation }> {
  const { plan } = await compilePipeline(app, file, parameters);
  const preview = await previewAssets(app, plan);
  const verdict = keyVerdictOf(subject, preview);
  const status = await new KeyStatusReader(preview.store).read(verdict.key, null);
  const isWorking = await readWorkStatus(app, status.claim);
  const { recipe, records } = plan;
  const { key, source } = verdict;
  const rows = source && preview.tables?.rowsOf(modelKeyOf({ key, source }), source);
  const runAsset = preview.assets.find((asset) => asset.key === key);
  const platformIds = { ...status.claim?.platformIds, ...runAsset?.platformIds };
  const conditions =
    source !== null && isAssetTaken(verdict)
      ? await readPropertyConditions(app, plan, { key, source, platformIds })
      : [];
  const facts = { isWorking, conditions, rows: rows ?? [], recipe, records };
  const explanation = { ...verdict, ...status, ...facts };
  if (verdict.verdict === 'absent' && status.record === null && status.claim === null) {
    throw await unknownKeyError(explanation, preview);
  }
  return { shape: shapeOf(plan.pipeline, explanation), explanation };
}

function shapeOf(pipeline: string, explanation: KeyExplanation) {
  const { key, verdict, source, startStage, movedFrom, movedTo, refusal } = explanation;
  const { record, claim, isWorking, conditions, recipe, rows } = explanation;
  return {
    schema: 'renderline/explain/v1' as const,
    pipeline,
    key,
    verdict,
    source,
    rows,
    startStage,
    movedFrom,
    movedTo,
    refusal,
    runs: isProcessedNext(explanation),
    why: formatReason(explanation),
    conditions,
    recipe,
    record: record && {
      run: record.run,
      finishedAt: record.finishedAt,
      recipe: record.recipe,
      source: record.source,
      files: record.files.length,
      movedFrom: record.moved?.key ?? null,
    },
    claim: claim && { run: claim.run, state: claim.state, at: claim.at, isWorking },
  };
}

/** Asks Temporal whether the claiming run is still working, as runs do before they take over an asset. */
async function readWorkStatus(app: App, claim: Claim | null): Promise<boolean | null> {
  if (claim?.state !== 'working') return null;
  try {
    return await withTemporal(app, async ({ client, namespace }) => {
      const namespaceId = await readNamespaceId(client, namespace);
      if (claim.temporal === undefined || claim.temporal === namespaceId) {
        return new TemporalWorkflowQueries(client, namespaceId).isAlive(claim);
      }
      app.note(
        `${claim.run} runs on another Temporal server, which is not reachable with these settings.`,
      );
      return null;
    });
  } catch (error) {
    app.note(`Temporal is not reachable: ${explainUnlessUnauthorized(error).message}`);
    return null;
  }
}

async function unknownKeyError(
  explanation: KeyExplanation,
  { classified, store }: Preview,
): Promise<RenderlineError> {
  const { key } = explanation;
  const message = `The asset "${escapeToOneLine(key)}" does not exist. ${formatReason(explanation)}`;
  const cells = classified.filter((asset) => modelKeyOf(asset) === key).map((cell) => cell.key);
  if (cells.length > 0) {
    const fix = `It is a model. Explain one of its assets: ${escapeToOneLine(formatFirst(cells, maxKeysShown))}`;
    return new RenderlineError(commandFailures.KEY_NOT_FOUND, message, { fix });
  }
  const keys = classified.slice(0, maxCompared).map(({ key }) => key);
  // An asset whose source is gone is only in the records. A long name does not contain its whole key.
  for (const entry of (await store.records.index()).entries()) {
    if (keys.length >= 2 * maxCompared) break;
    keys.push(...[decodeKey(entry.key)].filter((key) => key !== null));
  }
  const suggestion = findNearestName(key, keys);
  const fix =
    suggestion === null
      ? `The root node finds ${formatCount(classified.length, 'asset')}. Check its filters in the pipeline file.`
      : `Did you mean "${escapeToOneLine(suggestion)}"?`;
  return new RenderlineError(commandFailures.KEY_NOT_FOUND, message, { fix });
}
