// I1: each thing was made once on the platform, or a report says for which asset it may have been made twice.
import type { Books, Evidence, PipelineEvidence, Row, ShownRun, Violation } from './evidence.ts';

/** Texts by which a report owns up to a doubt. */
const doubt = /twice|OUTCOME_UNKNOWN/;

export function checkCreations(evidence: Evidence): Violation[] {
  const { books, pipelines, runs } = evidence;
  const keys = new Map(books.models.map((model) => [model.id, modelKey(model)]));
  const doubted = doubtedKeys(runs);
  const things: {
    kind: string;
    of: Row[];
    one: (row: Row) => string;
    key: (row: Row) => string;
  }[] = [
    thing('projects', books.projects, firstModel, keys),
    thing('colorway jobs', books.colorwayJobs, text('modelId'), keys),
    thing('exports', books.exports.filter(isWell), text('modelId'), keys),
    thing('production files', books.productionFiles, text('modelId'), keys),
    {
      kind: 'render jobs',
      of: books.renderJobs.filter(({ cancelledAt }) => cancelledAt === undefined),
      one: text('projectId'),
      key: (job) => keys.get(modelOfJob(books, job)) ?? '?',
    },
  ];
  const twice = things.flatMap(({ kind, of, one, key }) =>
    [...grouped(of, one)].flatMap(([what, rows]) => {
      const [first] = rows;
      if (rows.length < 2 || !first || doubted.has(key(first))) return [];
      return [violation(`${rows.length} ${kind} for ${key(first)} (of ${what}): ${idsOf(rows)}`)];
    }),
  );
  return [...modelsTwice(books, pipelines, doubted), ...twice];
}

function modelsTwice(
  { models }: Books,
  pipelines: readonly PipelineEvidence[],
  doubted: ReadonlySet<string>,
): Violation[] {
  const found: Violation[] = [];
  for (const [key, rows] of grouped(models, modelKey)) {
    const owner = pipelines.find(({ sources }) => sources.has(key));
    if (!owner) {
      found.push(violation(`models of no source file: ${key}`));
      continue;
    }
    if (doubted.has(key)) continue;
    const contents = owner.sources.get(key)?.length ?? 0;
    const same = [...grouped(rows.filter(hasLanded), contentOf).values()];
    const most = Math.max(0, ...same.map((one) => one.length));
    if (rows.length <= owner.sharers * contents && most <= owner.sharers) continue;
    const allowed = `${owner.sharers} pipelines and ${contents} contents`;
    found.push(violation(`${rows.length} models for ${key}, which has ${allowed}: ${idsOf(rows)}`));
  }
  return found;
}

/** Ids with what tells how far each has come. */
function idsOf(rows: readonly Row[]): string {
  const said = rows.map((row) => {
    const about = [progressOf(row), row.deleted ? 'deleted' : ''].filter((word) => word !== '');
    return about.length > 0 ? `${row.id} (${about.join(', ')})` : row.id;
  });
  return said.join(', ');
}

/** Where a model has stopped; empty for one that was confirmed, and for anything else. */
function progressOf(row: Row): string {
  if (row['uploadKey'] === undefined || row['confirmedAt'] !== undefined) return '';
  return hasLanded(row) ? 'not confirmed' : 'no file';
}

function violation(what: string): Violation {
  return { invariant: 'I1', what };
}

function thing(kind: string, of: Row[], one: (row: Row) => string, keys: Map<string, string>) {
  return { kind, of, one, key: (row: Row) => keys.get(one(row)) ?? '?' };
}

function grouped(rows: readonly Row[], by: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) groups.set(by(row), [...(groups.get(by(row)) ?? []), row]);
  return groups;
}

const text =
  (field: string) =>
  (row: Row): string =>
    String(row[field]);

/** The file that a model was made of; models that were made one by one bear only its key. */
export function modelKey({ fileName, name }: Row): string {
  return String(fileName ?? name).replace(/\.glb$/, '');
}

function firstModel({ modelIds }: Row): string {
  return Array.isArray(modelIds) ? String(modelIds[0]) : '';
}

function modelOfJob({ projects }: Books, { projectId }: Row): string {
  const project = projects.find(({ id }) => id === projectId);
  return project ? firstModel(project) : '';
}

function hasLanded({ file }: Row): boolean {
  return file !== undefined;
}

/** SHA-256 of the file that a model has. */
export function contentOf({ file }: Row): string {
  return typeof file === 'object' && file !== null && 'sha256' in file ? String(file.sha256) : '';
}

function isWell({ failure }: Row): boolean {
  return failure === undefined;
}

/** Assets that a report owns up to: something of theirs may have been made twice. */
export function doubtedKeys(runs: readonly ShownRun[]): Set<string> {
  const said = runs.flatMap(({ warnings, failures }) => [
    ...warnings,
    ...failures.map(({ key, code, message }) => ({ key, message: `${code} ${message}` })),
  ]);
  return new Set(said.filter(({ message }) => doubt.test(message)).map(({ key }) => key));
}
