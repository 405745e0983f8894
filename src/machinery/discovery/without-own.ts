// Leaves out objects that Renderline itself made: only others may start runs.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import type { ToldOf } from '../../plan/contract.ts';
import type { OwnObjects } from '../../store/calls/own-objects.ts';
import type { ListedSource } from '../../store/discovery/lister.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import { nullWhenGone } from '../null-when-gone.ts';
import { readPatiently } from './read-patiently.ts';

export interface OwnContext {
  client: Client;
  requests: RequestCounter;
  signal: AbortSignal;
}

/** The known outputs of our own render jobs. */
interface OwnOutputs {
  outputs: Set<string>;
  /** Jobs of which all outputs are among them. */
  jobs: Set<string>;
}

const knownAtMost = 100_000;
/** A job that has completed does not change, so each is asked once a process. */
const knownOf = new WeakMap<Client, OwnOutputs>();

/** Objects of events. A notification of a finished render names its job, so nothing is asked. */
export function toldByOthers(
  told: readonly ToldOf[],
  own: OwnObjects,
  { client }: Pick<OwnContext, 'client'>,
): ToldOf[] {
  const jobs = new Set([...own.jobs.values()].flatMap((ofProject) => [...ofProject]));
  const { outputs } = known(client);
  return told.filter(({ id, job }) => {
    if (job === undefined) return !own.models.has(id);
    if (jobs.has(job)) outputs.add(id);
    return !jobs.has(job);
  });
}

/** Objects of lists. The list of renders names no jobs, so our own jobs of an output's project are asked for theirs. */
export async function madeByOthers(
  found: readonly ListedSource[],
  own: OwnObjects,
  context: OwnContext,
): Promise<ListedSource[]> {
  const ours = known(context.client);
  const open = new Set<string>();
  for (const { refs } of found) {
    const [output] = refs?.outputs ?? [];
    if (output === undefined || ours.outputs.has(output.id)) continue;
    for (const job of own.jobs.get(refs?.projectId ?? '') ?? []) {
      if (!ours.jobs.has(job)) open.add(job);
    }
  }
  await mapBounded([...open], (job) => learn(job, ours, context), { signal: context.signal });
  return found.filter(({ refs: { outputs, projectId, modelId } = {} }) => {
    const [output] = outputs ?? [];
    if (output !== undefined) return !ours.outputs.has(output.id);
    return projectId === undefined ? !own.models.has(modelId ?? '') : !own.projects.has(projectId);
  });
}

function known(client: Client): OwnOutputs {
  const standing = knownOf.get(client);
  if (standing !== undefined && standing.outputs.size < knownAtMost) return standing;
  const fresh: OwnOutputs = { outputs: new Set(), jobs: new Set() };
  knownOf.set(client, fresh);
  return fresh;
}

async function learn(
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
