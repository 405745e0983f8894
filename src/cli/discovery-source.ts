// Where a plan's assets come from, for commands that look without running.
import type { Client } from '../api/client.ts';
import type { Connector } from '../connectors/index.ts';
import { commandFailures } from '../failures/commands.ts';
import type { Plan } from '../plan/types.ts';
import type { Again } from '../store/discovery/again.ts';
import type { Discovered, Grid } from '../store/discovery/discover.ts';
import type { PlanDifference } from '../store/runs/last-run.ts';
import { CliError } from './exit.ts';
import { withPlatform } from './platform-client.ts';
import type { Session } from './session.ts';

/** @throws CliError for a name that the plan does not have */
export async function connectorsOf(plan: Plan): Promise<(name: string) => Connector> {
  const { openConnector } = await import('../connectors/index.ts');
  return (name) => {
    const spec = plan.connectors[name];
    if (spec !== undefined) return openConnector(spec);
    throw new CliError(commandFailures.NO_CONNECTOR, `The plan has no connector "${name}".`, {
      fix: '',
    });
  };
}

/**
 * Whether the source holds anything that the plan takes; stops at the first such file. What the platform
 * holds only the run asks.
 * @throws ConnectorError with the path and the fix when the folder is not there.
 */
export async function mayHaveAssets({ discovery, ...plan }: Plan): Promise<boolean> {
  const { filesOf } = await import('../capabilities/lister-of.ts');
  const files = filesOf(discovery);
  if (files === null) return true;
  const connector = (await connectorsOf({ discovery, ...plan }))(files.connector);
  const names = connector.names('', { accept: files.takes });
  for await (const _name of names) return true;
  return false;
}

export interface Preview extends Discovered {
  /** How the plan differs from the pipeline's newest run, null before the first one. */
  sinceLastRun: PlanDifference | null;
  /** API requests that looking has cost, by operation; a run's own look costs the same. */
  requests: Record<string, number>;
  /** The colorways of its models; null where they are assets themselves. */
  colorways: Grid | null;
  /** What it has looked through. */
  of: 'files' | 'platform';
}

/** What a run was asked to take, where that is not all that its root lists. */
export interface Only {
  again?: Again | null;
  ids?: readonly string[] | null;
  /** Compares by content what looks unchanged. */
  verify?: boolean;
}

/** New, changed and unchanged assets, as the next run would find them. Writes nothing. */
export async function previewAssets(
  session: Session,
  plan: Plan,
  only: Only = {},
): Promise<Preview> {
  const { sourceOfAssets } = await import('../capabilities/lister-of.ts');
  const of = sourceOfAssets(plan.discovery);
  const look = async (client: () => Client) => ({
    of,
    ...(await preview(session, plan, only, client)),
  });
  if (of === 'platform') {
    return withPlatform(session, (client) => look(() => client), plan.operations);
  }
  return look(() => {
    throw new TypeError('files are looked at without the platform');
  });
}

async function preview(
  session: Session,
  plan: Plan,
  { again = null, ids = null, verify = false }: Only,
  client: () => Client,
): Promise<Omit<Preview, 'of'>> {
  const { openConnector } = await import('../connectors/index.ts');
  const { openRunStore } = await import('../store/runs/run-store.ts');
  const { previewDiscovery } = await import('../store/discovery/discover-run.ts');
  const { gridOf } = await import('../capabilities/variants/grid/grid.ts');
  const { keyMaker } = await import('../machinery/discovery/key-of.ts');
  const { listerOf } = await import('../capabilities/lister-of.ts');
  const { RequestCounter } = await import('../api/counter.ts');
  const { differenceFrom } = await import('../store/runs/last-run.ts');
  const { pipeline, recipe, discovery, parameters } = plan;
  const { node, key } = discovery;
  const nobody = { run: 'preview', lineage: 'preview', pipeline, recipe };
  const store = openRunStore(openConnector(plan.records), nobody);
  const last = await store.lastRun();
  const requests = new RequestCounter();
  const connectorNamed = await connectorsOf(plan);
  const now = () => session.io.now();
  const wanted = again?.ids ?? ids;
  const context = { node, ids: wanted, mayWrite: false, client, connectorNamed, requests, now };
  const grid = await gridOf(discovery, { parameters, connectorNamed });
  const found = await previewDiscovery(store, {
    grid,
    lister: listerOf(discovery, context),
    node,
    keyOf: key === null ? null : keyMaker(key, parameters),
    again,
    ...(verify
      ? { verify: { destination: plan.destination && openConnector(plan.destination) } }
      : {}),
    signal: session.io.interrupts.forced,
  });
  const sinceLastRun = last && differenceFrom(last, plan);
  return { ...found, sinceLastRun, requests: requests.byOperation, colorways: grid };
}
