// Tells which projects our own runs created.
import type { OwnershipCheck } from '../../engine/discovery/ownership-check.ts';
import { isOwn } from '../../store/calls/own-objects.ts';

export const ownProjects: OwnershipCheck = {
  ownsEvent: ({ id }, own) => isOwn(own, 'project', id) || null,
  ownsListed: ({ projectId }, own) =>
    projectId === undefined ? null : isOwn(own, 'project', projectId),
};
