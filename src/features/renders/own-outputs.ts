// Identifies the outputs that our own render jobs created.
import type { Client } from '../../api/client.ts';
import type { OwnershipCheck, OwnershipContext } from '../../engine/discovery/ownership-check.ts';
import { readWithRetry } from '../../engine/discovery/read-with-retry.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { isOwnObject } from '../../store/calls/own-objects.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';

interface OwnOutputs {
  outputs: Set<string>;
  /** Jobs whose outputs are all known. */
  jobs: Set<string>;
}

const jobKind = 'render-job';
const maxKnown = 100_000;
/** Known outputs by client, cleared above `maxKnown`. A completed job does not change, so it is not read again. */
const outputsByClient = new WeakMap<Client, OwnOutputs>();

export const ownOutputs: OwnershipCheck = {
  /** A notification of a finished render contains its job id, so no request is needed. */
  isOwnEvent({ id, job }, ownObjects, { client }) {
    if (job === undefined) return null;
    const isOurs = isOwnObject(ownObjects, jobKind, job);
    if (isOurs) knownOutputsOf(client).outputs.add(id);
    return isOurs;
  },
  /** The list of renders does not contain job ids, so our own jobs in the outputs' projects are read. */
  async prepare(sources, ownObjects, context) {
    const clientOutputs = knownOutputsOf(context.client);
    const ownJobs = ownObjects.idsByKind.get(jobKind) ?? [];
    const byProject = groupBy(ownJobs, ([, project]) => project ?? '');
    const unreadJobs = new Set<string>();
    for (const { platformIds } of sources) {
      const [output] = platformIds?.outputs ?? [];
      if (output === undefined || clientOutputs.outputs.has(output.id)) continue;
      const jobs = byProject.get(platformIds?.projectId ?? '') ?? [];
      for (const [job] of jobs) if (!clientOutputs.jobs.has(job)) unreadJobs.add(job);
    }
    const read = (job: string) => readJobOutputs(job, clientOutputs, context);
    await mapBounded([...unreadJobs], read, { signal: context.signal });
  },
  isOwnListed({ outputs: [output] = [] }, _own, { client }) {
    return output === undefined ? null : knownOutputsOf(client).outputs.has(output.id);
  },
};

function knownOutputsOf(client: Client): OwnOutputs {
  const current = outputsByClient.get(client);
  if (current !== undefined && current.outputs.size < maxKnown) return current;
  const newOutputs: OwnOutputs = { outputs: new Set(), jobs: new Set() };
  outputsByClient.set(client, newOutputs);
  return newOutputs;
}

async function readJobOutputs(
  jobId: string,
  { outputs, jobs }: OwnOutputs,
  context: OwnershipContext,
): Promise<void> {
  const read = () => context.client.getRenderJob({ params: { jobId } }, callOptions(context));
  const job = await nullIfNotFound(() => readWithRetry(read, context.signal));
  for (const { id } of job?.renders ?? []) outputs.add(id);
  if (job?.status === 'COMPLETED') jobs.add(jobId);
}
