import type { Client } from '../../api/client.ts';
import { listPages } from '../../api/pages.ts';
import { createIdCheck } from '../../engine/discovery/ownership-check.ts';
import {
  type CheckedOrphans,
  type CleanCall,
  type Cleaner,
  defineFeature,
} from '../../engine/feature.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import { readExistingModels } from '../models/model-records.ts';
import { projectFailures } from './failures.ts';
import { projectIdRules } from './platform-ids.ts';
import { projectCreated } from './project-created.ts';

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
    // The list must be complete, because a missed project could not protect its models from deletion.
    const options = { call, requireComplete: true };
    const allProjects = listPages('listProjects', client.listProjects, {}, options);
    for await (const { projectId, modelIds } of allProjects) {
      if (projects.has(projectId)) projectsThere.add(projectId);
      else for (const modelId of modelIds) holders.set(modelId, projectId);
    }
  }
  const existingOrphans = orphans.filter(({ kind, id }) =>
    kind === 'model' ? models.has(id) : projectsThere.has(id),
  );
  const holderOf = ({ kind, id }: Orphan) => (kind === 'model' ? holders.get(id) : undefined);
  return {
    existing: existingOrphans.filter((orphan) => holderOf(orphan) === undefined),
    inUse: existingOrphans.flatMap((orphan) => {
      const projectId = holderOf(orphan);
      return projectId === undefined ? [] : [{ orphan, projectId }];
    }),
  };
}

function idsOf(orphans: readonly Orphan[], kind: string): string[] {
  return orphans.filter((orphan) => orphan.kind === kind).map(({ id }) => id);
}

export const projectCleaner: Cleaner = { kinds: ['project', 'model'], check: findExistingOrphans };

/** Creates projects: a model in a scene. */
export const projects = defineFeature({
  name: 'projects',
  nodes: [projectCreated],
  existenceChecks: [
    [
      'projectId',
      (client, { projectId = '' }, options) =>
        client.getProject({ params: { projectId } }, options),
      ['projectId', 'added'],
    ],
  ],
  cleaner: projectCleaner,
  idRules: projectIdRules,
  failures: [projectFailures],
  ownership: createIdCheck('project', 'projectId'),
});
