import { defineFeature } from '../../engine/feature.ts';
import { noticeFailures } from './failures.ts';
import { notify } from './notify.ts';

import { noticeIdRules } from './platform-ids.ts';

/** Notifies external receivers. */
export const notices = defineFeature({
  name: 'notices',
  nodes: [notify],
  idRules: noticeIdRules,
  failures: [noticeFailures],
});
