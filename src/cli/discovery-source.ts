// Where a plan's assets come from, for commands that look without running.
import type { Connector } from '../connectors/index.ts';
import type { Plan } from '../plan/types.ts';
import type { Discovered } from '../store/discover.ts';
import type { PlanDifference } from '../store/last-run.ts';
import { CliError, exitCode } from './exit.ts';

interface Source {
  connector: Connector;
  config: { include: readonly string[]; exclude: readonly string[]; stableForMs: number };
}

async function sourceOf(plan: Plan): Promise<Source> {
  const { connectorPoll } = await import('../nodes/connector-poll.ts');
  const { durationMs } = await import('../compile/duration.ts');
  const { openConnector } = await import('../connectors/index.ts');
  const {
    connector: name,
    include,
    exclude,
    stableFor,
  } = connectorPoll.config.parse(plan.discovery.config);
  const spec = plan.connectors[name];
  if (spec === undefined) {
    throw new CliError(exitCode.usage, 'NO_CONNECTOR', `The plan has no connector "${name}".`);
  }
  return {
    connector: openConnector(spec),
    config: { include, exclude, stableForMs: durationMs(stableFor) },
  };
}

/**
 * Whether the source holds anything that the plan takes; stops at the first such file.
 * @throws ConnectorError with the path and the fix when the folder is not there.
 */
export async function hasFiles(plan: Plan): Promise<boolean> {
  const { connector, config } = await sourceOf(plan);
  const { fileTaker } = await import('../store/take-files.ts');
  const names = connector.names('', { accept: fileTaker(config) });
  for await (const _name of names) return true;
  return false;
}

export interface Preview extends Discovered {
  /** How the plan differs from the pipeline's newest run, null before the first one. */
  sinceLastRun: PlanDifference | null;
}

/** New, changed and unchanged assets, as the next run would find them. Writes nothing. */
export async function previewAssets(plan: Plan, signal: AbortSignal): Promise<Preview> {
  const { connector, config } = await sourceOf(plan);
  const { openConnector } = await import('../connectors/index.ts');
  const { openRunStore } = await import('../store/run-store.ts');
  const { previewDiscovery } = await import('../store/discover-run.ts');
  const { keyMaker } = await import('../engine/key-of.ts');
  const { pipeline, recipe, discovery, parameters } = plan;
  const context = { run: 'preview', lineage: 'preview', pipeline, recipe };
  const store = openRunStore(openConnector(plan.records), context);
  const { differenceFrom } = await import('../store/last-run.ts');
  const last = await store.lastRun();
  const found = await previewDiscovery(store, {
    connector,
    config,
    node: discovery.node,
    keyOf: discovery.key === null ? null : keyMaker(discovery.key, parameters),
    signal,
  });
  return { ...found, sinceLastRun: last && differenceFrom(last, plan) };
}

/** How much a run would take up: the assets to do and their source files' bytes. */
export function workOf({ assets }: Discovered): { assets: number; bytes: number } {
  const bytes = assets.reduce((sum, { source }) => sum + source.bytes, 0);
  return { assets: assets.length, bytes };
}
