// Uploads files in unified jobs of up to 50, or one by one if a job cannot accept them. Broken files are refused.

import type { NodeContext } from '../../engine/node-context.ts';
import { parseCall } from '../../engine/submit/creation.ts';
import { callsOf, finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { isLargeFile } from '../../engine/transfer-semaphore.ts';
import { createRecordWriter } from '../../engine/uploads/record-writer.ts';
import { type UploadFiles, uploadIntoRecords } from '../../engine/uploads/upload-into-records.ts';
import { findFileType } from '../../engine/uploads/upload-names.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { findNodeRules } from '../model-rules/rule-demands.ts';
import { isBeforeColorway } from '../slots/slot-demands.ts';
import { modelCreation, uploadConfirmation, uploadJobCreation } from './creations.ts';
import { modelFailures } from './failures.ts';
import { checkDemands, inspectFile } from './inspect-file.ts';
import { confirmModel, type IngestConfig, readModelUploadStatus } from './model-records.ts';
import { uploadByJob } from './upload-by-job.ts';

/** Calls that an upload step may send. */
const uploadCalls = [uploadJobCreation, modelCreation, uploadConfirmation] as const;

export async function ingest(
  config: IngestConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const uploadedAssets = assets.filter(({ platformIds }) => platformIds.modelId);
  const newAssets = assets.filter(({ platformIds }) => !platformIds.modelId);
  const results = await checkUploaded(uploadedAssets, config, context);
  if (newAssets.length === 0) return results;
  const findings = await context.transfers.forEach(newAssets, (asset) =>
    inspectBeforeUpload(asset, config, context),
  );
  const earlierCalls = await finishEarlierCalls(newAssets, uploadCalls, context);
  const singleUploads = callsOf(modelCreation, earlierCalls);
  const uploadedSingly = new Set(singleUploads.flatMap(({ assetKeys }) => [...assetKeys]));
  // Large files are uploaded alone, because a job must be uploaded well within the hour that its links are valid.
  const mustUploadSingly = ({ key, source }: StepAsset) =>
    config.category !== undefined || isLargeFile(source) || uploadedSingly.has(key);
  const isRefused = (asset: StepAsset) => findings[newAssets.indexOf(asset)]?.refusal;
  const toUploads = (uploadAssets: StepAsset[]) => ({
    assets: uploadAssets.filter((asset) => !isRefused(asset)),
    refusedAssets: uploadAssets.filter(isRefused),
    earlierCalls,
  });
  const jobFiles = toUploads(newAssets.filter((asset) => !mustUploadSingly(asset)));
  const byJob = await uploadByJob(jobFiles, config, context);
  const singleFiles = toUploads([...newAssets.filter(mustUploadSingly), ...byJob.remainingAssets]);
  results.push(...byJob.results, ...(await uploadByModels(singleFiles, config, context)));
  return withFindings(results, findings);
}

/** Uploads files that need a category, are large, or were left out by a job, with POST /models and a confirmation. */
async function uploadByModels(
  files: UploadFiles<StepAsset>,
  { connector, category: requestedCategory }: IngestConfig,
  context: NodeContext,
): Promise<AssetResult[]> {
  const category = requestedCategory === undefined ? {} : { category: requestedCategory };
  // An earlier run may have created the models in another category.
  const calls = callsOf(modelCreation, files.earlierCalls).filter(({ intent }) =>
    parseCall(modelCreation, intent).body.models.every(
      (model) => model.category === requestedCategory,
    ),
  );
  const earlierCalls = { ...files.earlierCalls, calls };
  const writer = createRecordWriter<StepAsset, 'createModels'>(
    {
      kind: 'model',
      creation: modelCreation,
      connector,
      missingFailure: modelFailures.MODEL_NOT_CREATED,
      bodyOf: (part) => ({
        models: part.map(({ key, source }) => ({
          name: key,
          fileType: findFileType(source.path) ?? '',
          fileSize: source.bytes,
          ...category,
        })),
      }),
      linksIn: ({ models, errors }) => ({
        links: new Map(models.map((link) => [link.modelId, link])),
        errors,
      }),
      readUploadStatuses: (ids) => readModelUploadStatus(ids, context),
      confirm: (asset, createdIds) => confirmModel(asset, createdIds, context),
    },
    context,
  );
  const results = await uploadIntoRecords({ ...files, earlierCalls }, writer, context);
  return results.map((result) =>
    result.outcome === 'done'
      ? { ...result, platformIds: { ...result.platformIds, ...category } }
      : result,
  );
}

/** Checks the files of uploaded models only for cells whose colorway has not been started. */
async function checkUploaded(
  assets: readonly StepAsset[],
  config: IngestConfig,
  context: NodeContext,
): Promise<AssetResult[]> {
  const openAssets = (context.step.demands ? assets : [])
    .map((asset) => {
      const { cells = [asset] } = asset;
      return { ...asset, cells: cells.filter((cell) => isBeforeColorway(cell.platformIds)) };
    })
    .filter(({ cells }) => cells.length > 0);
  const findings = await context.transfers.forEach(openAssets, (asset) =>
    inspectBeforeUpload(asset, config, context),
  );
  const failures = findings.flatMap(({ cellFailures }) => cellFailures);
  const failedKeys = new Set(failures.map(({ key }) => key));
  const passedAssets = assets.filter(({ key }) => !failedKeys.has(key));
  return [...failures, ...passedAssets.map(({ key }): AssetResult => ({ key, outcome: 'done' }))];
}

/** Adds the findings about each file to its result. A file that an earlier attempt uploaded keeps its result. */
export function withFindings(
  results: readonly AssetResult[],
  findings: readonly FileFindings[],
): AssetResult[] {
  const resultKeys = new Set(results.map(({ key }) => key));
  const refusals = findings.flatMap((finding) => [
    ...(finding.refusal === null || resultKeys.has(finding.key) ? [] : [finding.refusal]),
    ...finding.cellFailures.filter(({ key }) => key !== finding.key),
  ]);
  const findingsByKey = new Map(findings.map((inspection) => [inspection.key, inspection]));
  return [...results, ...refusals].map((result) => {
    const { warnings = [], drawn } = findingsByKey.get(result.key) ?? {};
    if (result.outcome !== 'done') return result;
    return {
      ...result,
      ...(drawn === undefined ? {} : { platformIds: { ...result.platformIds, drawn } }),
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  });
}

export interface FileFindings {
  key: string;
  refusal: AssetResult | null;
  /** Failures, under the assets' own keys, of assets whose demands the file does not meet. */
  cellFailures: AssetResult[];
  warnings: string[];
  /** Numbers of variants and animations in the file, as `3/1`. Absent if the file does not contain them. */
  drawn?: string;
}

/** Inspects the file before the upload, because the platform does not report why a model failed. */
export async function inspectBeforeUpload(
  asset: StepAsset,
  config: { connector: string },
  context: NodeContext,
): Promise<FileFindings> {
  context.heartbeat();
  const { key, source, cells = [asset] } = asset;
  const connector = context.getConnector(config.connector);
  const { demands = [] } = context.step;
  const { parameters } = context.run;
  const withRules = cells.map((cell) => ({
    cell,
    rules: findNodeRules(cell, demands, parameters),
  }));
  const allRules = withRules.flatMap(({ rules }) => rules);
  const { problem, ...model } = await inspectFile(source, connector, context.signal, allRules);
  const { inspection } = model;
  if (inspection === null) {
    const refusal = problem && fail(problem.failure, key, problem.message);
    return { key, refusal, cellFailures: [], warnings: [] };
  }
  const checks = withRules.map(({ cell, rules }) => ({
    key: cell.key,
    ...checkDemands(cell, { ...model, inspection }, demands, parameters, rules),
  }));
  const cellFailures = checks.flatMap((cell) =>
    cell.problem === null ? [] : [fail(cell.problem.failure, cell.key, cell.problem.message)],
  );
  const [first] = cellFailures;
  const refusal =
    first !== undefined && cellFailures.length === cells.length ? { ...first, key } : null;
  const ofDemands = new Set(checks.flatMap((cell) => [...cell.warnings, ...cell.slotWarnings]));
  const warnings = [...inspection.warnings.map(({ message }) => message), ...ofDemands];
  if (inspection.container === 'other') return { key, refusal, cellFailures, warnings };
  const drawn = `${inspection.variants.length}/${inspection.animations}`;
  return { key, refusal, cellFailures, warnings, drawn };
}
