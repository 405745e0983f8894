// Tells which models our own runs created.
import type { OwnCheck } from '../../machinery/discovery/own-check.ts';
import { isOwn } from '../../store/calls/own-objects.ts';

export const ownModels: OwnCheck = {
  told: ({ id }, own) => isOwn(own, 'model', id) || null,
  found: ({ modelId }, own) => (modelId === undefined ? null : isOwn(own, 'model', modelId)),
};
