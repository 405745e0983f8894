// How a plan's assets are found. Wired here alone, for runs, for plans that only show them, and for sweeps.
import type { Connector } from '../connectors/connector.ts';
import { choiceOf } from '../machinery/discovery/choice-of.ts';
import { keyMaker } from '../machinery/discovery/key-of.ts';
import type { ListContext } from '../machinery/discovery/list-context.ts';
import type { RootRole } from '../machinery/node-type.ts';
import { optionsOf } from '../machinery/options-of.ts';
import type { Delivery } from '../plan/deliveries.ts';
import type { Selection } from '../plan/selection.ts';
import type { ConnectorSpec, Plan } from '../plan/types.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';
import type { Again } from '../store/discovery/again.ts';
import type { DiscoverySource } from '../store/discovery/discover-run.ts';
import type { Grid } from '../store/discovery/grid.ts';
import type { ManifestAsset } from '../store/runs/manifest.ts';
import { pathsAhead } from './delivery/file-names.ts';
import { goneFinder, sourcePlace } from './delivery/withdrawal/find-gone.ts';
import { nodeTypes } from './index.ts';
import { isBroken } from './models/look-at-file.ts';
import { gridOf } from './variants/grid/grid.ts';

/** The assets that a plan wants; the context of a run has the same fields. */
type Sought = Pick<
  Plan,
  'discovery' | 'parameters' | 'connectors' | 'stages' | 'withdrawn' | 'freshness'
>;

type OpenConnector = (spec: ConnectorSpec) => Connector;

export interface SourceContext extends Omit<ListContext, 'node' | 'connectorNamed'> {
  readonly open: OpenConnector;
  /** The assets that a rerun does again; null for other runs. */
  readonly again: Again | null;
  /** See DiscoverInput. */
  readonly deliveries?: readonly Delivery[] | undefined;
  /** What a person chose for one run; absent: all. */
  readonly selection?: Selection | undefined;
  /** Compares by content what looks unchanged, also what was delivered there; null: looks are believed. */
  readonly verify: { destination: ConnectorSpec | null } | null;
  /** See RunInput. */
  readonly withdrawAll?: boolean | undefined;
  readonly signal: AbortSignal;
}

export interface PlanSource extends DiscoverySource {
  readonly grid: Grid | null;
  readonly category: string | null;
  /** For roots that list files: true for a file that the run would refuse. */
  readonly isBroken?: (asset: ManifestAsset) => Promise<boolean>;
}

/**
 * @throws TypeError for a plan whose root is of a type that cannot begin one
 * @throws OnlyError, WhereError for a selection that is none
 * @throws RunCauseError for a table of colorways that cannot be read
 */
export async function discoverySourceOf(
  plan: Sought,
  { open, again, deliveries = [], selection, verify, signal, ...more }: SourceContext,
): Promise<PlanSource> {
  const { discovery, parameters, stages, withdrawn: rules, freshness } = plan;
  const { node, key } = discovery;
  const { root, config } = rootOf(discovery);
  const { withdrawAll: all = false, ...context } = more;
  const connectorNamed = connectorsOf(plan, open);
  const files = root.files?.(config) ?? null;
  const connector = files && connectorNamed(files.connector);
  const place = files && connector && sourcePlace(plan, files.connector, connector);
  const { destination = null } = verify ?? {};
  return {
    lister: root.list(config, { ...context, node, connectorNamed }),
    node,
    keyOf: key === null ? null : keyMaker(key, parameters),
    grid: await gridOf(discovery, { parameters, connectorNamed }),
    category: root.category?.(config) ?? null,
    identity: root.identity?.(config) ?? 'path',
    again,
    ...withoutUndefined({ stages }),
    ...(freshness && { freshness: { rules: freshness, nowMs: context.now() } }),
    pathsAhead: (asset) => pathsAhead(deliveries, plan.connectors, asset),
    ...(selection ? { choice: choiceOf(selection) } : {}),
    ...(verify && { verify: { destination: destination && open(destination) } }),
    ...(place && { place: place.mark }),
    ...(place && rules && { findGone: goneFinder({ node, rules, place, all }) }),
    ...(connector && { isBroken: ({ source }) => isBroken(source, connector, signal) }),
    signal,
  };
}

/** The plan's connectors by the names that its file gives them. */
export function connectorsOf(
  { connectors }: Pick<Plan, 'connectors'>,
  open: OpenConnector,
): (name: string) => Connector {
  return (name) => {
    const spec = connectors[name];
    if (spec === undefined) throw new TypeError(`the plan has no connector "${name}"`);
    return open(spec);
  };
}

/** The files that a plan begins with; null where it begins with what the platform has. */
export function filesOf(discovery: Plan['discovery']) {
  const { root, config } = rootOf(discovery);
  return root.files?.(config) ?? null;
}

/** Assets come from files or from the platform. */
export function sourceOfAssets(discovery: Plan['discovery']): RootRole<unknown>['from'] {
  return rootOf(discovery).root.from;
}

function rootOf({ activity, config }: Plan['discovery']) {
  const type = nodeTypes.find((known) => known.type === activity);
  if (!type?.root) throw new TypeError(`no pipeline begins with ${activity}`);
  return { root: type.root, config: optionsOf(type, config) };
}
