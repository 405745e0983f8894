// Tells which projects our own runs created.
import type { OwnCheck } from '../../machinery/discovery/own-check.ts';
import { isOwn } from '../../store/calls/own-objects.ts';

export const ownProjects: OwnCheck = {
  told: ({ id }, own) => isOwn(own, 'project', id) || null,
  found: ({ projectId }, own) =>
    projectId === undefined ? null : isOwn(own, 'project', projectId),
};
