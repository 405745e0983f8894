// Failures of notices.
import { defineFailures } from '../../failures/define.ts';

export const noticeFailures = defineFailures('asset', {
  NOTICE_REFUSED: {
    title: 'A receiver has not taken the notice of a `notify` node.',
    fix: 'Mend the receiver, or its `url` and secret; the next run tells of the asset.',
  },
});
