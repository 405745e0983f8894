// Looks which projects and models are still there. Deleting a model takes it out of every project that has it (4.2), whoever
// made that, so all projects are listed: that also tells which of the orphans are there, for less than a request each.
import type { Client } from '../../api/client.ts';
import { pages } from '../../api/pages.ts';
import type { CleanCall, Cleaner, LookedAtOrphans } from '../../machinery/capability.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import { modelsThere } from '../models/model-records.ts';

export const cleanProjects: Cleaner = { kinds: ['project', 'model'], look };

async function look(
  client: Client,
  orphans: readonly Orphan[],
  call: CleanCall,
): Promise<LookedAtOrphans> {
  const models = await modelsThere(client, idsOf(orphans, 'model'), call);
  const projects = new Set(idsOf(orphans, 'project'));
  const projectsThere = new Set<string>();
  const holders = new Map<string, string>();
  if (projects.size > 0 || models.size > 0) {
    // A project that is not seen would not keep its models from being deleted.
    const all = pages('listProjects', client.listProjects, {}, { call, whole: true });
    for await (const { projectId, modelIds } of all) {
      if (projects.has(projectId)) projectsThere.add(projectId);
      else for (const modelId of modelIds) holders.set(modelId, projectId);
    }
  }
  const there = orphans.filter(({ kind, id }) =>
    kind === 'model' ? models.has(id) : projectsThere.has(id),
  );
  const holderOf = ({ kind, id }: Orphan) => (kind === 'model' ? holders.get(id) : undefined);
  return {
    there: there.filter((orphan) => holderOf(orphan) === undefined),
    held: there.flatMap((orphan) => {
      const projectId = holderOf(orphan);
      return projectId === undefined ? [] : [{ orphan, projectId }];
    }),
  };
}

function idsOf(orphans: readonly Orphan[], kind: string): string[] {
  return orphans.filter((orphan) => orphan.kind === kind).map(({ id }) => id);
}
