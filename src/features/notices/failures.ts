import { defineFailures } from '../../failures/define.ts';

export const noticeFailures = defineFailures('asset', {
  NOTICE_REFUSED: {
    title: 'The receiver of a `notify` node did not accept the notice.',
    fix: 'Fix the receiver, or correct its `url` and secret; the next run sends the notice again.',
  },
});
