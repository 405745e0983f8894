// What a run has to do: its assets are found, and written into its manifest.

import { filesOf, listerOf } from '../src/capabilities/lister-of.ts';
import { lookUpNames } from '../src/capabilities/look-up-names.ts';
import { isBroken } from '../src/capabilities/models/look-at-file.ts';
import { gridOf } from '../src/capabilities/variants/grid/grid.ts';
import { lookUpsOf } from '../src/capabilities/variants/grid/materials.ts';
import { withLines } from '../src/capabilities/variants/grid/with-lines.ts';
import type { Connector } from '../src/connectors/connector.ts';
import { runFailures } from '../src/failures/runs.ts';
import { excessLines, findExcess, workOf } from '../src/machinery/cost/check-limits.ts';
import { estimate } from '../src/machinery/cost/estimate.ts';
import type { FoundWork } from '../src/machinery/cost/found-work.ts';
import { keyMaker } from '../src/machinery/discovery/key-of.ts';
import { chooseUndone } from '../src/machinery/discovery/undone-of.ts';
import { RunCauseError } from '../src/machinery/engine-errors.ts';
import type { Discovered, DiscoverInput } from '../src/plan/contract.ts';
import type { AssetSource, Json } from '../src/plan/types.ts';
import { Again } from '../src/store/discovery/again.ts';
import { discoverRun } from '../src/store/discovery/discover-run.ts';
import { openRunStore } from '../src/store/runs/run-store.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';
import { connectorSpec } from './node-context.ts';

/** Lists what the root takes and writes the run's manifest. */
export async function discover(input: DiscoverInput, deps: Deps): Promise<Discovered> {
  const { context, discovery, shardSize, canary, caps, verify } = input;
  const requests = deps.requestsOf(context.run);
  const { client, lookout } = deps.platformOf(context);
  return bookkeeping(deps, async (signal, hold) => {
    const connectorNamed = (name: string) => deps.connector(connectorSpec(context, name));
    const { parameters } = context;
    const names = { lookout, run: context, requests, signal };
    const again = await againOf(input, deps, signal);
    const lister = listerOf(discovery, {
      node: discovery.node,
      ids: again?.ids ?? input.ids ?? null,
      mayWrite: true,
      client: () => client,
      connectorNamed,
      requests,
      now: deps.now,
    });
    const grid = await gridOf(discovery, { parameters, connectorNamed });
    const found = await discoverRun(deps.store(context), {
      lister,
      grid,
      node: discovery.node,
      keyOf: discovery.key === null ? null : keyMaker(discovery.key, parameters),
      shardSize,
      ...(canary ? { canary } : {}),
      again,
      ...(verify
        ? { verify: { destination: verify.destination && deps.connector(verify.destination) } }
        : {}),
      category: categoryOf(discovery.config),
      parameters,
      check: async ({ assets }) => {
        if (caps) refuseExcess(caps, assets);
        // A run with nothing to do asks for nothing.
        if (assets.length > 0)
          await withLines(grid, () => lookUpNames(lookUpsOf(discovery, assets), names));
      },
      ...looksAt(discovery, connectorNamed, signal),
      hold,
      signal,
    });
    const sent = requests.take();
    return sent.total === 0 ? found : { ...found, requests: sent.byOperation };
  });
}

/** How a file is looked at, where the root lists files. */
function looksAt(
  discovery: DiscoverInput['discovery'],
  connectorNamed: (name: string) => Connector,
  signal: AbortSignal,
) {
  const files = filesOf(discovery);
  if (files === null) return {};
  const connector = connectorNamed(files.connector);
  return {
    isBroken: ({ source }: { source: AssetSource }) => isBroken(source, connector, signal),
  };
}

/** What the run does again; null where it takes what there is. */
async function againOf(
  { context, again }: DiscoverInput,
  deps: Deps,
  signal: AbortSignal,
): Promise<Again | null> {
  if (!again) return null;
  // Not the store that the worker keeps for the earlier run, which has a recipe of its own.
  const before = openRunStore(deps.connector(context.records), { ...context, run: again.of });
  return new Again(again.of, await chooseUndone(before, again, signal));
}

/** @throws RunCauseError when the plan needs more than its file allows. */
function refuseExcess(
  { limits, plan }: NonNullable<DiscoverInput['caps']>,
  assets: FoundWork['assets'],
): void {
  const excess = findExcess(limits, estimate(plan, { assets }, null), workOf({ assets }));
  if (excess.length === 0) return;
  const message = excessLines(excess).replaceAll('\n', '; ');
  throw new RunCauseError(runFailures.LIMIT_EXCEEDED, message);
}

/** Category that the root gives its models. */
function categoryOf(config: Json): string | null {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return null;
  return typeof config['category'] === 'string' ? config['category'] : null;
}
