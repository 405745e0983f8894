// Which of the things that events told of, or that a sweep finds, a pipeline should run for.
import { Context } from '@temporalio/activity';
import { listerOf } from '../src/capabilities/lister-of.ts';
import { keyMaker } from '../src/machinery/discovery/key-of.ts';
import {
  madeByOthers,
  type OwnContext,
  toldByOthers,
} from '../src/machinery/discovery/without-own.ts';
import type { Sifted, SiftInput } from '../src/plan/contract.ts';
import { type OwnObjects, ownObjects } from '../src/store/calls/own-objects.ts';
import { previewDiscovery } from '../src/store/discovery/discover-run.ts';
import type { Found, Listed } from '../src/store/discovery/lister.ts';
import { openRunStore } from '../src/store/runs/run-store.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';
import { whileBeating } from './heartbeats.ts';
import { connectorSpec } from './node-context.ts';

/** How far the clocks of platform and worker may be apart. */
const clocksApartMs = 60_000;
/** What a sweep answers must stay small. */
const idsAtMost = 2_000;

export async function siftEvents(input: SiftInput, deps: Deps): Promise<Sifted> {
  const { info, cancellationSignal } = Context.current();
  try {
    return await whileBeating(() =>
      input.told === null
        ? sweep(input, deps, cancellationSignal)
        : siftTold(input.told, input, deps, cancellationSignal),
    );
  } catch (error) {
    throw toFailure(error, info.attempt, deps.secrets);
  }
}

/** An event is news of itself, so what it told of is taken whatever became of it before. */
async function siftTold(
  told: NonNullable<SiftInput['told']>,
  { context, intake }: SiftInput,
  deps: Deps,
  signal: AbortSignal,
): Promise<Sifted> {
  const taken = intake.own ? told : toldByOthers(told, await ownOf(context, deps, signal), deps);
  return { ids: taken.map(({ id }) => id), again: false };
}

/** A sweep finds the same things again and again, so what was taken up before is passed over, however it ended. */
async function sweep(
  { context, discovery, intake, sinceMs }: SiftInput,
  deps: Deps,
  signal: AbortSignal,
): Promise<Sifted> {
  const { client } = deps.platformOf(context);
  const requests = deps.requestsOf(context.run);
  const lister = listerOf(discovery, {
    node: discovery.node,
    ids: null,
    sinceMs: sinceMs ?? 0,
    mayWrite: false,
    client: () => client,
    connectorNamed: (name) => deps.connector(connectorSpec(context, name)),
    requests,
    now: deps.now,
  });
  const { found } = await lister.list(signal);
  if (found.length === 0) return { ids: [], again: false };
  const { taken, again } = intake.own
    ? { taken: found, again: false }
    : await foreignOf(found, await ownOf(context, deps, signal), { client, requests, signal });
  if (taken.length === 0) return { ids: [], again };
  const listed: Listed = { found: taken, refused: [] };
  // Opened anew: the intake outlives changes of its file, and with them the recipe.
  const store = openRunStore(deps.connector(context.records), context);
  const { assets } = await previewDiscovery(store, {
    lister: { list: async () => listed },
    node: discovery.node,
    keyOf: discovery.key === null ? null : keyMaker(discovery.key, context.parameters),
    signal,
  });
  const open = assets.filter(({ reason }) => reason !== 'retry');
  const ids = open.flatMap(({ source }) => source.id ?? []);
  // The rest is found again, once runs have taken up these.
  return { ids: ids.slice(0, idsAtMost), again: again || ids.length > idsAtMost };
}

/** `own` was read after the list: what calls of ours had made by then is answered, or its call still open. */
async function foreignOf(
  found: readonly Found[],
  own: OwnObjects,
  context: OwnContext,
): Promise<{ taken: Found[]; again: boolean }> {
  const foreign = await madeByOthers(found, own, context);
  const { openSinceMs } = own;
  if (openSinceMs === null) return { taken: foreign, again: false };
  // What does not say when it was made may be what the open call has made.
  const wasBefore = ({ madeAtMs = Number.POSITIVE_INFINITY }: Found) =>
    madeAtMs < openSinceMs - clocksApartMs;
  const taken = foreign.filter(wasBefore);
  return { taken, again: taken.length < foreign.length };
}

function ownOf({ records }: SiftInput['context'], deps: Deps, signal: AbortSignal) {
  return ownObjects(deps.connector(records), signal, deps.now());
}
