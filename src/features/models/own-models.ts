// Tells which models our own runs created.
import type { OwnershipCheck } from '../../engine/discovery/ownership-check.ts';
import { isOwn } from '../../store/calls/own-objects.ts';

export const ownModels: OwnershipCheck = {
  ownsEvent: ({ id }, own) => isOwn(own, 'model', id) || null,
  ownsListed: ({ modelId }, own) => (modelId === undefined ? null : isOwn(own, 'model', modelId)),
};
