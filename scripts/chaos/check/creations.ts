// I1: each resource was created once, or a report names the asset for which it may have been created twice.
import { type Doubt, doubtsOf, namedBy } from './doubts.ts';
import type { Books, Evidence, PipelineEvidence, Row, Violation } from './evidence.ts';
import { contentOf, firstModel, grouped, modelKey, modelOfJob } from './rows.ts';

export function checkCreations({ books, pipelines, runs }: Evidence): Violation[] {
  const keys = new Map(books.models.map((model) => [model.id, modelKey(model)]));
  const doubts = doubtsOf(runs);
  const kept = books.renderJobs.filter(({ cancelledAt }) => cancelledAt === undefined);
  const ofModel = { one: text('modelId'), key: (row: Row) => keys.get(String(row['modelId'])) };
  const sheets = { ...ofModel, by: 'exportProductionFile' };
  const things: Thing[] = [
    {
      kind: 'projects',
      of: books.projects,
      one: firstModel,
      key: (project) => keys.get(firstModel(project)),
      by: 'createProjects',
    },
    { kind: 'colorway jobs', of: books.colorwayJobs, ...ofModel, by: 'createColorwayBatch' },
    { kind: 'exports', of: books.exports.filter(isWell), ...sheets },
    { kind: 'production files', of: books.productionFiles, ...sheets },
    {
      kind: 'render jobs',
      of: kept,
      one: text('projectId'),
      key: (job) => keys.get(modelOfJob(books, job)),
      by: 'createRenders',
    },
  ];
  const twice = things.flatMap((thing) => madeTwice(thing, doubts));
  return [...modelsTwice(books, pipelines, doubts), ...twice];
}

interface Thing {
  kind: string;
  of: readonly Row[];
  /** The subject that may have only one resource of this kind. */
  one: (row: Row) => string;
  /** Key of the asset that the resource belongs to. */
  key: (row: Row) => string | undefined;
  /** The creating operation; possible duplicates of other operations do not count. */
  by: string;
}

function madeTwice({ kind, of, one, key, by }: Thing, doubts: readonly Doubt[]): Violation[] {
  return [...grouped(of, one)].flatMap(([what, rows]) => {
    const owner = (rows[0] && key(rows[0])) ?? '?';
    const isTold = doubts.some((doubt) => doubt.key === owner && doubt.operation === by);
    if (rows.length < 2 || isTold) return [];
    return [violation(`${rows.length} ${kind} for ${owner} (of ${what}): ${idsOf(rows)}`)];
  });
}

const uploads: readonly string[] = ['createJob', 'createModels'];

function modelsTwice(
  { models }: Books,
  pipelines: readonly PipelineEvidence[],
  doubts: readonly Doubt[],
): Violation[] {
  const found: Violation[] = [];
  for (const [key, made] of grouped(models, modelKey)) {
    const owner = pipelines.find(({ sources }) => sources.has(key));
    if (!owner) {
      found.push(violation(`models of no source file: ${key}`));
      continue;
    }
    const named = namedBy(
      doubts.filter((doubt) => doubt.key === key && uploads.includes(doubt.operation)),
    );
    if (named === null) continue;
    const rows = made.filter(({ id }) => !named.has(id));
    const contents = owner.sources.get(key)?.length ?? 0;
    const same = [...grouped(rows.filter(hasLanded), contentOf).values()];
    const most = Math.max(0, ...same.map((one) => one.length));
    if (rows.length <= owner.sharers * contents && most <= owner.sharers) continue;
    const allowed = `${owner.sharers} pipelines and ${contents} contents`;
    found.push(violation(`${rows.length} models for ${key}, which has ${allowed}: ${idsOf(rows)}`));
  }
  return found;
}

/** The ids, each with its progress. */
function idsOf(rows: readonly Row[]): string {
  const said = rows.map((row) => {
    const about = [progressOf(row), row.deleted ? 'deleted' : ''].filter((word) => word !== '');
    return about.length > 0 ? `${row.id} (${about.join(', ')})` : row.id;
  });
  return said.join(', ');
}

/** How far the upload of a model came; empty for a confirmed model and for other resources. */
function progressOf(row: Row): string {
  if (row['uploadKey'] === undefined || row['confirmedAt'] !== undefined) return '';
  return hasLanded(row) ? 'not confirmed' : 'no file';
}

function violation(what: string): Violation {
  return { invariant: 'I1', what };
}

const text =
  (field: string) =>
  (row: Row): string =>
    String(row[field]);

function hasLanded({ file }: Row): boolean {
  return file !== undefined;
}

function isWell({ failure }: Row): boolean {
  return failure === undefined;
}
