import { defineFeature } from '../../engine/feature.ts';
import { noticeFailures } from './failures.ts';
import { notify } from './notify.ts';

import { noticeIdSlice } from './platform-ids.ts';

/** Notifies external receivers. */
export const notices = defineFeature({
  name: 'notices',
  nodes: [notify],
  idRules: noticeIdSlice,
  failures: [noticeFailures],
});
