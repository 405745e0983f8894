import { defineFeature } from '../../engine/feature.ts';
import { approvalFailures } from '../decisions/failures.ts';
import { approval } from './approval.ts';
import { approvalIdRules } from './platform-ids.ts';
import { approvalPictures } from './show-pictures.ts';

/** People approve or reject pictures before they are delivered. */
export const approvals = defineFeature({
  name: 'approvals',
  nodes: [approval],
  steps: [approvalPictures],
  failures: [approvalFailures],
  idRules: approvalIdRules,
});
