// Chooses the platform objects, from events or from a sweep, that a pipeline should run for.

import { Context } from '@temporalio/activity';
import { filterEventObjects, type SweepContext, sweep } from '../../src/engine/discovery/sweep.ts';
import { openDiscoverySource } from '../../src/features/discovery-source.ts';
import { features } from '../../src/features/index.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { FilterEventsInput, FilteredEvents } from '../../src/plan/contract/filter-contract.ts';
import type { Deps } from '../deps.ts';
import { notReadyFailure } from '../failures.ts';
import { runEngineActivity } from '../run-engine-activity.ts';
import { assertRecordsPresent } from './assert-records-present.ts';
import { waitWhilePaused } from './general-pause.ts';

/**
 * Delay before it is checked again whether a call of a run has created the objects of events. It grows with each attempt,
 * because each lists the records of all pipelines.
 */
const recheckMs = 5_000;
const maxRecheckMs = 60_000;
const pendingMessage =
  'a platform call of a run has no response yet, and may have created the objects that these events report';
/** A trigger is no run, so it cannot be resumed with new records. */
const restOfFix =
  '. If they are lost, set another location under `records:` in the file, and apply the file again.';
/** Innermost resource first: a render decides who owns an object before its project, the project before its model. */
const ownershipChecks = features.flatMap(({ ownership }) => ownership ?? []).toReversed();

export async function filterEvents(input: FilterEventsInput, deps: Deps): Promise<FilteredEvents> {
  const { context, discovery, stages, deliveries, eventTrigger, objects, sinceMs } = input;
  const { connectorOf, now } = deps;
  const { client } = deps.platformOf(context);
  const requests = deps.requestsOf(context.run);
  return runEngineActivity(deps, async (signal) => {
    await waitWhilePaused(context, deps);
    const records = connectorOf(context.records);
    // Without the records, the pipeline's own objects would look like those of others.
    await assertRecordsPresent(records, context, deps, restOfFix);
    const { includesOwn } = eventTrigger;
    const ownObjects = () => deps.workspaceObjects.objects(context.records, signal, now());
    const sweepContext: SweepContext = {
      ownObjects,
      includesOwn,
      checks: ownershipChecks,
      client,
      requests,
      signal,
    };
    if (objects !== null) {
      const { scheduledTimestampMs, attempt } = Context.current().info;
      const events = await filterEventObjects(objects, scheduledTimestampMs, sweepContext);
      if (events !== null) return events;
      throw notReadyFailure(pendingMessage, Math.min(maxRecheckMs, recheckMs * attempt));
    }
    const source = await openDiscoverySource(
      { ...context, discovery, stages },
      {
        open: connectorOf,
        ids: null,
        minCreatedAtMs: sinceMs ?? 0,
        mayWrite: false,
        rerunSelection: null,
        deliveries,
        client: () => client,
        requests,
        now,
        signal,
      },
    );
    // A new store, because the file of the event trigger, and so the recipe, may have changed since an earlier call.
    return sweep(source, openRunStore(records, context), sweepContext);
  });
}
