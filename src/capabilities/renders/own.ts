// Tells which outputs our own render jobs created.
import type { Client } from '../../api/client.ts';
import type { OwnCheck, OwnContext } from '../../machinery/discovery/own-check.ts';
import { readPatiently } from '../../machinery/discovery/read-patiently.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { groupBy } from '../../plan/group-by.ts';
import { isOwn } from '../../store/calls/own-objects.ts';
import { mapBounded } from '../../store/objects/bounded.ts';

/** Known outputs of our own render jobs. */
interface OwnOutputs {
  outputs: Set<string>;
  /** Jobs whose outputs are all known. */
  jobs: Set<string>;
}

const jobKind = 'render-job';
const knownAtMost = 100_000;
/** A completed job does not change, so each is read once per process. */
const knownOf = new WeakMap<Client, OwnOutputs>();

export const ownRenders: OwnCheck = {
  /** A notification of a finished render names its job, so no request is needed. */
  told({ id, job }, own, { client }) {
    if (job === undefined) return null;
    const isOurs = isOwn(own, jobKind, job);
    if (isOurs) known(client).outputs.add(id);
    return isOurs;
  },
  /** The list of renders does not name jobs, so our own jobs of the outputs' projects are read. */
  async learn(found, own, context) {
    const ours = known(context.client);
    const byProject = groupBy(own.made.get(jobKind) ?? [], ([, project]) => project ?? '');
    const open = new Set<string>();
    for (const { refs } of found) {
      const [output] = refs?.outputs ?? [];
      if (output === undefined || ours.outputs.has(output.id)) continue;
      const jobs = byProject.get(refs?.projectId ?? '') ?? [];
      for (const [job] of jobs) if (!ours.jobs.has(job)) open.add(job);
    }
    await mapBounded([...open], (job) => learnJob(job, ours, context), { signal: context.signal });
  },
  found({ outputs: [output] = [] }, _own, { client }) {
    return output === undefined ? null : known(client).outputs.has(output.id);
  },
};

function known(client: Client): OwnOutputs {
  const standing = knownOf.get(client);
  if (standing !== undefined && standing.outputs.size < knownAtMost) return standing;
  const fresh: OwnOutputs = { outputs: new Set(), jobs: new Set() };
  knownOf.set(client, fresh);
  return fresh;
}

async function learnJob(
  jobId: string,
  { outputs, jobs }: OwnOutputs,
  { client, requests, signal }: OwnContext,
): Promise<void> {
  const read = () =>
    client.getRenderJob({ params: { jobId } }, { priority: 'create', scope: requests, signal });
  const job = await nullWhenGone(() => readPatiently(read, signal));
  for (const { id } of job?.renders ?? []) outputs.add(id);
  if (job?.status === 'COMPLETED') jobs.add(jobId);
}
