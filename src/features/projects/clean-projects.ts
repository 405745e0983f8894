// Checks which orphaned projects and models still exist. Deleting a model removes it from every project that has it, whoever
// created the project. Therefore all projects are listed, which also shows which orphaned projects exist.
import type { Client } from '../../api/client.ts';
import { pages } from '../../api/pages.ts';
import type { CheckedOrphans, CleanCall, Cleaner } from '../../engine/feature.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import { readExistingModels } from '../models/model-records.ts';

export const projectCleaner: Cleaner = { kinds: ['project', 'model'], check: findExistingOrphans };

async function findExistingOrphans(
  client: Client,
  orphans: readonly Orphan[],
  call: CleanCall,
): Promise<CheckedOrphans> {
  const models = await readExistingModels(client, idsOf(orphans, 'model'), call);
  const projects = new Set(idsOf(orphans, 'project'));
  const projectsThere = new Set<string>();
  const holders = new Map<string, string>();
  if (projects.size > 0 || models.size > 0) {
    // The list must be complete: a project that is missed could not protect its models from deletion.
    const all = pages('listProjects', client.listProjects, {}, { call, requireComplete: true });
    for await (const { projectId, modelIds } of all) {
      if (projects.has(projectId)) projectsThere.add(projectId);
      else for (const modelId of modelIds) holders.set(modelId, projectId);
    }
  }
  const existing = orphans.filter(({ kind, id }) =>
    kind === 'model' ? models.has(id) : projectsThere.has(id),
  );
  const holderOf = ({ kind, id }: Orphan) => (kind === 'model' ? holders.get(id) : undefined);
  return {
    existing: existing.filter((orphan) => holderOf(orphan) === undefined),
    inUse: existing.flatMap((orphan) => {
      const projectId = holderOf(orphan);
      return projectId === undefined ? [] : [{ orphan, projectId }];
    }),
  };
}

function idsOf(orphans: readonly Orphan[], kind: string): string[] {
  return orphans.filter((orphan) => orphan.kind === kind).map(({ id }) => id);
}
