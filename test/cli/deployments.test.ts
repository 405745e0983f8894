// What `deployments` prints: names from Temporal are escaped.
import { expect, test } from 'vitest';
import { formatMovedRuns, formatRoutingChange } from '../../src/cli/deployments/format.ts';

const build = 'b1\nNew runs\u001b[2J';

test.each([
  [
    'a changed routing',
    () =>
      formatRoutingChange({
        schema: 'renderline/deployment-change/v1',
        deployment: 'shop',
        action: 'set-current',
        current: build,
        ramping: null,
        before: { current: null, ramping: null },
        done: true,
      }),
  ],
  [
    'moved runs',
    () =>
      formatMovedRuns({
        schema: 'renderline/deployment-move/v1',
        deployment: 'shop',
        from: build,
        to: null,
        workflows: [],
        done: true,
      }),
  ],
])(
  'the text of %s contains the name of a build in one line, without control characters',
  (_what, format) => {
    const text = format();
    expect(text.split('\n')).toHaveLength(1);
    expect(text).not.toContain('\u001b');
  },
);
