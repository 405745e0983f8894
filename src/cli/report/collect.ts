// Gathers what a report tells: from Temporal, and from the records of the run.
import { estimate } from '../../capabilities/estimate.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import type { RunTimes } from '../../plan/run-story.ts';
import type { Plan } from '../../plan/types.ts';
import type { Report, ReportedOutput } from '../../report/report.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { modelKeyOf } from '../../store/records/asset-names.ts';
import type { Manifest } from '../../store/runs/manifest.ts';
import type { TemporalConnection } from '../../temporal/connect.ts';
import { readPeople } from '../../temporal/run-people.ts';
import { startedWith } from '../../temporal/started-with.ts';
import { readStepTimes } from '../../temporal/step-times.ts';
import { redoCommand, whereOf } from '../rerun/words.ts';
import { groupFailures } from '../runs/failure-groups.ts';
import { reportRun } from '../runs/run-report.ts';
import type { RunShape } from '../runs/run-shape.ts';
import type { RunSnapshot } from '../runs/run-snapshot.ts';
import { storeOfRun } from '../runs/run-store-of.ts';

interface Asked extends Pick<TemporalConnection, 'client' | 'namespace'> {
  snapshot: RunSnapshot;
  /** Page of the run; null where the address of the UI is not known. */
  temporalUi: string | null;
}

export async function collectReport(asked: Asked): Promise<Report> {
  const { client, namespace, snapshot, temporalUi } = asked;
  const { run, memo, startedAtMs, endedAtMs } = snapshot;
  const { shape, settled, remark } = await reportRun(client, snapshot);
  const isOver = snapshot.status !== 'running';
  const [start, people] = await Promise.all([
    startedWith(client, namespace, run),
    readPeople(client, run),
  ]);
  const { planned, times } = start ? await planAndTimes(asked, start.plan) : nothingKnown;
  return {
    schema: 'renderline/report/v1',
    run,
    pipeline: shape.pipeline,
    again: shape.again,
    outcome: shape.outcome,
    cause: shape.cause,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    seconds: shape.seconds,
    destination: shape.destination,
    temporalUi,
    assets: shape.assets,
    people,
    failures: groupFailures(shape.failures).map((group) => ({
      ...group,
      redo: isOver ? redoCommand(run, memo?.path, whereOf(group)) : null,
    })),
    times,
    requests: requestsOf(shape, planned),
    outputs: outputsOf(settled, shape.failures),
    warnings: shape.warnings,
    remark,
  };
}

type Planned = Record<string, number> | null;

const nothingKnown: { planned: Planned; times: RunTimes | null } = { planned: null, times: null };

/** Records that are out of reach leave the plan unknown: the run's own figures are still told. */
async function planAndTimes(
  { client, snapshot }: Asked,
  plan: Plan,
): Promise<{ planned: Planned; times: RunTimes | null }> {
  const { run, memo } = snapshot;
  if (memo === null) return nothingKnown;
  try {
    const { manifest } = storeOfRun(snapshot);
    const found = await manifest.discovery();
    if (found === null) return nothingKnown;
    const [planned, times] = await Promise.all([
      plannedOf(manifest, plan, found.pages),
      readStepTimes(client, run, found.pages),
    ]);
    return { planned, times };
  } catch {
    return nothingKnown;
  }
}

async function plannedOf(manifest: Manifest, plan: Plan, pages: number): Promise<Planned> {
  const shards = Array.from({ length: pages }, (_, shard) => shard);
  const assets = (await mapBounded(shards, (shard) => manifest.page(shard))).flat();
  return estimate(plan, { assets }, null).requests.byOperation;
}

function requestsOf(
  { requests }: Pick<RunShape, 'requests'>,
  planned: Planned,
): Report['requests'] {
  const { total, byOperation } = requests;
  const names = [...new Set([...Object.keys(byOperation), ...Object.keys(planned ?? {})])].sort();
  return {
    total,
    planned: planned && Object.values(planned).reduce((sum, count) => sum + count, 0),
    byOperation: names.map((operation) => ({
      operation,
      sent: byOperation[operation] ?? 0,
      planned: planned && (planned[operation] ?? 0),
    })),
  };
}

/** By key; assets of which nothing was delivered and nothing failed are only counted. */
function outputsOf(
  settled: readonly SettledAsset[],
  failures: RunShape['failures'],
): ReportedOutput[] {
  const known = new Set(settled.map(({ key }) => key));
  const refused = failures.filter(({ key }) => !known.has(key));
  return [
    ...settled.flatMap(outputsOfAsset),
    ...refused.map(({ key, ...failure }): ReportedOutput => {
      return { ...withoutFile, key, model: key, outcome: 'failed', failure: told(failure) };
    }),
  ].sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
}

const withoutFile = {
  colorway: null,
  view: null,
  path: null,
  bytes: 0,
  sha256: '',
  width: 0,
  height: 0,
  change: null,
} satisfies Partial<ReportedOutput>;

function outputsOfAsset(asset: SettledAsset): ReportedOutput[] {
  const { key, source, refs, outcome, files, failure } = asset;
  const named = {
    ...withoutFile,
    key,
    model: modelKeyOf(asset),
    colorway: source.colorway?.name ?? refs.variantName ?? null,
    view: source.view?.name ?? refs.bookmark ?? refs.shot ?? null,
    outcome,
    failure: failure && told(failure),
  };
  if (failure !== null) return [named];
  return files.map(({ key: _key, change = null, ...file }) => ({ ...named, ...file, change }));
}

function told({ code, node, message }: { code: string; node: string; message: string }) {
  return { code, node, message };
}
