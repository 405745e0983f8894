// Which of the models that events told of, or that a sweep finds, a pipeline should run for.
import { Context } from '@temporalio/activity';
import { keyMaker } from '../src/engine/key-of.ts';
import { readyModelsSince } from '../src/engine/ready-models.ts';
import { listerOf } from '../src/nodes/lister-of.ts';
import type { Sifted, SiftInput } from '../src/plan/contract.ts';
import { previewDiscovery } from '../src/store/discover-run.ts';
import { ownModels } from '../src/store/own-models.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';
import { whileBeating } from './heartbeats.ts';
import { connectorSpec } from './node-context.ts';

export async function siftEvents(input: SiftInput, deps: Deps): Promise<Sifted> {
  const { info, cancellationSignal } = Context.current();
  try {
    return await whileBeating(() => sift(input, deps, cancellationSignal));
  } catch (error) {
    throw toFailure(error, info.attempt, deps.secrets);
  }
}

async function sift(
  { context, discovery, intake, ids, sinceMs }: SiftInput,
  deps: Deps,
  signal: AbortSignal,
): Promise<Sifted> {
  const { client } = deps;
  const requests = deps.requestsOf(context.run);
  const found = ids ?? (await readyModelsSince(client, sinceMs ?? 0, requests, signal));
  if (found.length === 0) return { ids: [] };
  const own = intake.own ? new Set() : await ownModels(deps.connector(context.records), signal);
  const foreign = found.filter((id) => !own.has(id));
  // An event is news of itself; a sweep finds the same models again and again.
  if (ids !== null || foreign.length === 0) return { ids: foreign };
  const lister = listerOf(discovery, {
    node: discovery.node,
    ids: foreign,
    mayWrite: false,
    client: () => client,
    connectorNamed: (name) => deps.connector(connectorSpec(context, name)),
    requests,
    now: deps.now,
  });
  const keyOf = discovery.key === null ? null : keyMaker(discovery.key, context.parameters);
  const source = { lister, node: discovery.node, keyOf, signal };
  const { assets } = await previewDiscovery(deps.store(context), source);
  return { ids: assets.flatMap((asset) => asset.source.id ?? []) };
}
