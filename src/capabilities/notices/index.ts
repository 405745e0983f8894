import { defineCapability } from '../../machinery/capability.ts';
import { noticeFailures } from './failures.ts';
import { notify } from './notify.ts';

import { noticeRefs } from './refs.ts';

/** Notifies external receivers. */
export const notices = defineCapability({
  name: 'notices',
  nodes: [notify],
  refs: noticeRefs,
  failures: [noticeFailures],
});
