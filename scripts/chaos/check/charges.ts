// I3: everything the platform charges for belongs to an asset or has an explanation, and pipelines stay below their
// `limits`. I1 trusts the reports; this check counts.
import { type Doubt, doubtsOf, namedBy } from './doubts.ts';
import type { Books, Evidence, PipelineEvidence, Row, Violation } from './evidence.ts';
import { isStopped } from './reports.ts';
import { contentOf, firstModel, grouped, modelKey, modelOfJob } from './rows.ts';

export function checkCharges(evidence: Evidence): Violation[] {
  const charges = chargesOf(evidence.books);
  const whats = [...unexplained(charges, evidence), ...overspent(charges, evidence)];
  return whats.map((what) => ({ invariant: 'I3', what }));
}

/** The `forgets` fault rule applies at most this often (`platform.ts`). */
const mostForgotten = 3;

const calls = {
  models: ['createJob', 'createModels'],
  projects: ['createProjects'],
  'colorway jobs': ['createColorwayBatch'],
  'render jobs': ['createRenders'],
  captures: ['exportProductionFile'],
};

/** One resource that the platform created, even if it was deleted or cancelled since. */
interface Charge {
  kind: keyof typeof calls;
  row: Row;
  model: Row;
  /** Key of the asset. */
  key: string;
}

function chargesOf(books: Books): Charge[] {
  const models = new Map(books.models.map((model) => [model.id, model]));
  const charges = (
    kind: Charge['kind'],
    rows: readonly Row[],
    modelId: (row: Row) => string,
  ): Charge[] =>
    rows.flatMap((row) => {
      const model = models.get(modelId(row));
      return model ? [{ kind, row, model, key: modelKey(model) }] : [];
    });
  const ofModel = ({ modelId }: Row) => String(modelId);
  return [
    ...charges('models', books.models, ({ id }) => id),
    ...charges('projects', books.projects, firstModel),
    ...charges('colorway jobs', books.colorwayJobs, ofModel),
    ...charges('render jobs', books.renderJobs, (job) => modelOfJob(books, job)),
    ...charges('captures', books.captures, ofModel),
  ];
}

/** Resources that no record names must be of an older content, cancelled with their run, or reported as duplicates. */
function unexplained(charges: readonly Charge[], { pipelines, runs }: Evidence): string[] {
  const kept = keptIds(pipelines, charges);
  const doubts = doubtsOf(runs);
  const open = charges.filter(({ row, model, key }) => {
    const owners = pipelines.filter(({ sources }) => sources.has(key));
    const contents = owners[0]?.sources.get(key) ?? [];
    const isOld = contents.length > 1 && contentOf(model) !== contents.at(-1);
    const isCancelled = row['cancelledAt'] !== undefined && owners.some(hasStopped(runs));
    return !(kept.has(row.id) || isOld || isCancelled);
  });
  return [...grouped(open, ({ kind, key }) => `${kind} for ${key}`)].flatMap(([what, more]) => {
    const told = doubts.filter(({ key, operation }) =>
      more.some((one) => one.key === key && calls[one.kind].includes(operation)),
    );
    const most = told.reduce((sum, doubt) => sum + mostOf(doubt), 0);
    if (more.length <= most) return [];
    const ids = more.map(({ row }) => row.id).join(', ');
    return [
      `${more.length} ${what} that no asset has, and ${most} are reported as possible duplicates: ${ids}`,
    ];
  });
}

/** How many resources one report may be about: those it names, or as many as the platform can forget. */
function mostOf(doubt: Doubt): number {
  return namedBy([doubt])?.size ?? mostForgotten;
}

/** A terminated or reset shard cancels its jobs as a cancelled run does. */
const hasStopped =
  (runs: Evidence['runs']) =>
  ({ name }: PipelineEvidence): boolean =>
    runs.some(({ pipeline, outcome }) => pipeline === name && isStopped(outcome));

/** Ids that records name, with one colorway job per recorded model and one capture per variant. */
function keptIds(pipelines: readonly PipelineEvidence[], charges: readonly Charge[]): Set<unknown> {
  const refs = pipelines.flatMap(({ records }) => records.map((record) => record.refs));
  const kept = new Set(
    refs.flatMap(({ modelId, projectId, jobId }) => [modelId, projectId, jobId]),
  );
  const given = (kind: Charge['kind'], one: (row: Row) => string) => {
    const rows = charges.filter((charge) => charge.kind === kind && kept.has(charge.model.id));
    return [...grouped(rows, ({ row }) => one(row)).values()].map(([first]) => first?.row.id);
  };
  const colorways = given('colorway jobs', ({ modelId }) => String(modelId));
  const captures = given(
    'captures',
    ({ modelId, variantId }) => `${String(modelId)} ${String(variantId)}`,
  );
  return new Set([...kept, ...colorways, ...captures]);
}

/**
 * The limits hold for each run, and all runs of a round together need no more if nothing is done twice. A run counts
 * what exists before it starts, so reported duplicates come on top.
 */
function overspent(charges: readonly Charge[], { pipelines, runs }: Evidence): string[] {
  const doubts = doubtsOf(runs);
  return pipelines.flatMap(({ name, sources, sharers, limits }) => {
    if (!limits) return [];
    const made = (...kinds: Charge['kind'][]) => {
      const all = charges.filter(({ kind, key }) => kinds.includes(kind) && sources.has(key));
      const told = doubts.filter(
        ({ key, operation }) =>
          sources.has(key) && kinds.some((kind) => calls[kind].includes(operation)),
      );
      return all.length - told.reduce((sum, doubt) => sum + mostOf(doubt), 0);
    };
    const asked = runs.flatMap(({ pipeline, requests }) =>
      pipeline === name ? requests.total : 0,
    );
    const spent: [string, number, number][] = [
      ['models', made('models'), sharers * limits.models],
      ['projects', made('projects'), sharers * limits.projects],
      ['renders', made('render jobs', 'captures'), sharers * limits.renders],
      ['requests of a run', Math.max(0, ...asked), limits.requests],
    ];
    return spent
      .filter(([, count, most]) => count > most)
      .map(([what, count, most]) => `${name}: ${count} ${what}, and its limits allow ${most}`);
  });
}
