// I4: the destination contains exactly what the platform created from each source, all of it and nothing else, and no
// run that has ended holds a claim.
import type {
  Evidence,
  LibraryEvidence,
  PipelineEvidence,
  PlatformState,
  RawRecord,
  Row,
  Violation,
} from './evidence.ts';
import { contentOf } from './platform-rows.ts';

export function checkDeliveries(evidence: Evidence): Violation[] {
  const { platformState, pipelines, openRuns } = evidence;
  const problems = pipelines.flatMap((pipeline) => [
    ...assetProblems(pipeline, platformState),
    ...findFilesWithoutRecord(pipeline),
    ...findLeftovers(pipeline, openRuns),
  ]);
  return problems.map((problem) => ({ invariant: 'I4', what: problem }));
}

function assetProblems(pipeline: PipelineEvidence, platformState: PlatformState): string[] {
  return [...pipeline.sources].flatMap(([key, contents]) => {
    const records = pipeline.records.filter((record) => record.key === key);
    const [record] = records;
    const about = `${pipeline.name}/${key}`;
    if (!record) return [`${about}: lost: it has no record in the end`];
    if (records.length > 1) return [`${about}: ${records.length} records`];
    const content = contents.at(-1) ?? '';
    return [
      ...sourceProblems(record, { content, pipeline, platformState }),
      ...fileProblems(record, { pipeline, platformState }),
    ].map((problem) => `${about}: ${problem}`);
  });
}

/** Returns problems if the output was not created from the current source with the requested template. */
function sourceProblems(
  { platformIds }: RawRecord,
  on: { content: string; pipeline: PipelineEvidence; platformState: PlatformState },
): string[] {
  const { content, pipeline, platformState } = on;
  const { modelId, projectId } = platformIds;
  const model = rowOf(platformState.models, modelId);
  if (!model) return [`model ${JSON.stringify(modelId)} is not on the platform`];
  const problems: string[] = [];
  if (contentOf(model) !== content) problems.push(`model ${model.id} is of another content`);
  if (projectId === undefined) return problems;
  const project = rowOf(platformState.projects, projectId);
  if (!project) return [...problems, `project ${JSON.stringify(projectId)} is not on the platform`];
  if (!listOf(project, 'modelIds').includes(model.id)) {
    problems.push(`project ${project.id} is of another model`);
  }
  if (project['templateId'] !== pipeline.templateId) {
    problems.push(`project ${project.id} has template ${String(project['templateId'])}`);
  }
  return problems;
}

/** Returns problems if the delivered files are not exactly the outputs, byte for byte. */
function fileProblems(
  record: RawRecord,
  { pipeline, platformState }: { pipeline: PipelineEvidence; platformState: PlatformState },
): string[] {
  const problems: string[] = [];
  const hashById = new Map<string, string>();
  for (const id of outputsOf(record, platformState))
    hashById.set(id, platformState.contents.get(id) ?? 'no content');
  if (hashById.size !== pipeline.outputs) {
    problems.push(`${hashById.size} outputs on the platform, not ${pipeline.outputs}`);
  }
  const deliveredHashes = record.files.map(
    ({ path }) => pipeline.delivered.get(path) ?? `missing ${path}`,
  );
  for (const [index, { path, sha256 }] of record.files.entries()) {
    if (deliveredHashes[index] !== sha256)
      problems.push(`${path} is not what the record says: ${deliveredHashes[index]}`);
  }
  const undeliveredHashes = [...hashById.values()].filter(
    (sha256) => !deliveredHashes.includes(sha256),
  );
  const foreignHashes = deliveredHashes.filter(
    (sha256) => ![...hashById.values()].includes(sha256),
  );
  if (undeliveredHashes.length > 0)
    problems.push(`${undeliveredHashes.length} outputs are not delivered`);
  if (foreignHashes.length > 0)
    problems.push(`${foreignHashes.length} files are not the platform's outputs`);
  if (record.files.length !== hashById.size) problems.push(`${record.files.length} files`);
  return problems;
}

/** Returns the ids of the outputs of the asset's render job, or the id of its production file. */
function outputsOf({ platformIds }: RawRecord, platformState: PlatformState): string[] {
  const { sheet, jobId } = platformIds;
  if (typeof sheet === 'object' && sheet !== null && 'fileId' in sheet)
    return [String(sheet.fileId)];
  const job = rowOf(platformState.renderJobs, jobId);
  return job ? listOf(job, 'outputIds') : [];
}

function findFilesWithoutRecord({ name, records, delivered }: PipelineEvidence): string[] {
  const recordedPaths = new Set(records.flatMap(({ files }) => files.map(({ path }) => path)));
  return [...delivered.keys()]
    .filter((path) => !recordedPaths.has(path))
    .map((path) => `${name}: ${path} is of no record`);
}

/** Finds temporary files, and claims of runs that have ended. */
export function findLeftovers(
  { name, temporary, claims }: LibraryEvidence,
  openRuns: readonly string[],
): string[] {
  const heldClaims = claims
    .filter(({ state, run }) => state === 'working' && !openRuns.includes(run))
    .map(({ key, run, file }) => `${name}: ${key} is held by ${run}, which has ended (${file})`);
  return [...temporary.map((path) => `${name}: temporary file ${path}`), ...heldClaims];
}

function rowOf(rows: readonly Row[], id: unknown): Row | undefined {
  return rows.find((row) => row.id === id);
}

function listOf(row: Row, field: string): string[] {
  const list = row[field];
  return Array.isArray(list) ? list.map(String) : [];
}
