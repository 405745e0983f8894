// I4: the destination holds exactly what the platform made of each source, complete and nothing else; no ended run
// holds a claim.
import type {
  Books,
  Evidence,
  LibraryEvidence,
  PipelineEvidence,
  RawRecord,
  Row,
  Violation,
} from './evidence.ts';
import { contentOf } from './rows.ts';

export function checkDeliveries(evidence: Evidence): Violation[] {
  const { books, pipelines, open } = evidence;
  const whats = pipelines.flatMap((pipeline) => [
    ...assetProblems(pipeline, books),
    ...strayFiles(pipeline),
    ...leftLying(pipeline, open),
  ]);
  return whats.map((what) => ({ invariant: 'I4', what }));
}

function assetProblems(pipeline: PipelineEvidence, books: Books): string[] {
  return [...pipeline.sources].flatMap(([key, contents]) => {
    const records = pipeline.records.filter((record) => record.key === key);
    const [record] = records;
    const about = `${pipeline.name}/${key}`;
    if (!record) return [`${about}: lost: it has no record in the end`];
    if (records.length > 1) return [`${about}: ${records.length} records`];
    const content = contents.at(-1) ?? '';
    return [
      ...sourceProblems(record, { content, pipeline, books }),
      ...fileProblems(record, { pipeline, books }),
    ].map((what) => `${about}: ${what}`);
  });
}

/** Was the output made of the current source, with the requested template? */
function sourceProblems(
  { refs }: RawRecord,
  on: { content: string; pipeline: PipelineEvidence; books: Books },
): string[] {
  const { content, pipeline, books } = on;
  const { modelId, projectId } = refs;
  const model = rowOf(books.models, modelId);
  if (!model) return [`model ${JSON.stringify(modelId)} is not on the platform`];
  const problems: string[] = [];
  if (contentOf(model) !== content) problems.push(`model ${model.id} is of another content`);
  if (projectId === undefined) return problems;
  const project = rowOf(books.projects, projectId);
  if (!project) return [...problems, `project ${JSON.stringify(projectId)} is not on the platform`];
  if (!listOf(project, 'modelIds').includes(model.id)) {
    problems.push(`project ${project.id} is of another model`);
  }
  if (project['templateId'] !== pipeline.templateId) {
    problems.push(`project ${project.id} has template ${String(project['templateId'])}`);
  }
  return problems;
}

/** Is every output delivered, byte for byte? */
function fileProblems(
  record: RawRecord,
  { pipeline, books }: { pipeline: PipelineEvidence; books: Books },
): string[] {
  const problems: string[] = [];
  const wanted = new Map<string, string>();
  for (const id of outputsOf(record, books)) wanted.set(id, books.contents.get(id) ?? 'no content');
  if (wanted.size !== pipeline.outputs) {
    problems.push(`${wanted.size} outputs on the platform, not ${pipeline.outputs}`);
  }
  const got = record.files.map(({ path }) => pipeline.delivered.get(path) ?? `missing ${path}`);
  for (const [index, { path, sha256 }] of record.files.entries()) {
    if (got[index] !== sha256) problems.push(`${path} is not what the record says: ${got[index]}`);
  }
  const unmet = [...wanted.values()].filter((sha256) => !got.includes(sha256));
  const foreign = got.filter((sha256) => ![...wanted.values()].includes(sha256));
  if (unmet.length > 0) problems.push(`${unmet.length} outputs are not delivered`);
  if (foreign.length > 0) problems.push(`${foreign.length} files are not the platform's outputs`);
  if (record.files.length !== wanted.size) problems.push(`${record.files.length} files`);
  return problems;
}

/** Ids of the outputs of the asset's render job, or the id of its production file. */
function outputsOf({ refs }: RawRecord, books: Books): string[] {
  const { sheet, jobId } = refs;
  if (typeof sheet === 'object' && sheet !== null && 'fileId' in sheet)
    return [String(sheet.fileId)];
  const job = rowOf(books.renderJobs, jobId);
  return job ? listOf(job, 'outputIds') : [];
}

function strayFiles({ name, records, delivered }: PipelineEvidence): string[] {
  const known = new Set(records.flatMap(({ files }) => files.map(({ path }) => path)));
  return [...delivered.keys()]
    .filter((path) => !known.has(path))
    .map((path) => `${name}: ${path} is of no record`);
}

/** Temporary files, and claims of runs that have ended. */
export function leftLying(
  { name, temporary, claims }: LibraryEvidence,
  open: readonly string[],
): string[] {
  const held = claims
    .filter(({ state, run }) => state === 'working' && !open.includes(run))
    .map(({ key, run, file }) => `${name}: ${key} is held by ${run}, which has ended (${file})`);
  return [...temporary.map((path) => `${name}: temporary file ${path}`), ...held];
}

function rowOf(rows: readonly Row[], id: unknown): Row | undefined {
  return rows.find((row) => row.id === id);
}

function listOf(row: Row, field: string): string[] {
  const list = row[field];
  return Array.isArray(list) ? list.map(String) : [];
}
