// I3: all that the platform was paid for is what an asset has in the end, or something that happened explains it; and
// pipelines whose files have limits stay below them. Where I1 takes the word of a report, this counts.
import { type Doubt, doubtsOf, namedBy } from './doubts.ts';
import type { Books, Evidence, PipelineEvidence, Row, Violation } from './evidence.ts';
import { isStopped } from './reports.ts';
import { contentOf, firstModel, grouped, modelKey, modelOfJob } from './rows.ts';

export function checkCharges(evidence: Evidence): Violation[] {
  const charges = chargesOf(evidence.books);
  const whats = [...unexplained(charges, evidence), ...overspent(charges, evidence)];
  return whats.map((what) => ({ invariant: 'I3', what }));
}

/** The rule of the platform says so (`platform.ts`). */
const mostForgotten = 3;

const calls = {
  models: ['createJob', 'createModels'],
  projects: ['createProjects'],
  'colorway jobs': ['createColorwayBatch'],
  'render jobs': ['createRenders'],
  captures: ['exportProductionFile'],
};

/** One thing that the platform made, also when it was deleted or cancelled since. */
interface Charge {
  kind: keyof typeof calls;
  row: Row;
  model: Row;
  /** Of the asset. */
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

/** What no record has was made of an older content, or was cancelled with its run, or is told of. */
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
    return [`${more.length} ${what} that no asset has, and ${most} are told of: ${ids}`];
  });
}

/** How many a report may be about: as many as it names, or as often as the platform of a round forgets a call. */
function mostOf(doubt: Doubt): number {
  return namedBy([doubt])?.size ?? mostForgotten;
}

/** A shard that is terminated, or ended by a reset, cancels as a run does. */
const hasStopped =
  (runs: Evidence['runs']) =>
  ({ name }: PipelineEvidence): boolean =>
    runs.some(({ pipeline, outcome }) => pipeline === name && isStopped(outcome));

/** What records name, and what the models that they name were given: one colorway, and one capture of each variant. */
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
 * The limits hold for each run; all runs of a round together need no more where nothing is done twice. They are compared
 * with what a run has before it, so what a platform forgot and was made again for, and told of, comes on top.
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
