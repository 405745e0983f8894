// What the report of an incomplete asset says about calls whose outcome no result has reported.
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../src/store/calls/intents.ts';
import { findDuplicateWarnings } from '../../src/store/calls/possible-duplicates.ts';
import { sourceOf } from './_store.ts';

const words = 'createJob was sent again … twice';
const asset = { key: 'one', source: sourceOf('one'), warnings: ['of the look'] };

function call(more: Partial<Intent> = {}): Intent {
  return {
    schema: 'renderline/intent/v1',
    operation: 'createJob',
    key: 'k',
    bodyText: '{}',
    assets: ['zero', 'one'],
    versions: ['0-0', '1-1'],
    createdAt: '2026-03-01T10:00:00.000Z',
    state: 'open',
    ...more,
  };
}

const ambiguousSince = '2026-03-01T10:00:00.000Z';
const answered = {
  state: 'done',
  ambiguousSince,
  result: { one: { possibleDuplicate: words } },
} as const;
const { versions: _versions, ...unversioned } = call();

describe('duplicates that an incomplete asset warns about', () => {
  it.each<[string, Intent[], string | RegExp]>([
    ['a call that was repeated after an ambiguous outcome', [call(answered)], words],
    [
      'a call that was abandoned after an ambiguous outcome',
      [call({ ...answered, state: 'abandoned' })],
      words,
    ],
    [
      'a call whose outcome is unknown',
      [call()],
      /^createJob was sent, but its outcome is unknown/,
    ],
    [
      'a call that failed',
      [call({ ambiguousSince })],
      /^createJob was sent, but its outcome is unknown/,
    ],
    [
      'a call that was refused after a failure',
      [call({ state: 'refused', ambiguousSince })],
      /^createJob was sent/,
    ],
    [
      'a call of an earlier run that this run has finished',
      [call({ ...answered, isInherited: true })],
      words,
    ],
  ])('an asset warns about %s', (_what, calls, expected) => {
    expect(findDuplicateWarnings(asset, calls)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });

  it('an asset warns about an ambiguous outcome only once, for the later of two calls', () => {
    const first = call({ state: 'refused', ambiguousSince });
    expect(findDuplicateWarnings(asset, [first, call({ key: 'l', ...answered })])).toEqual([words]);
    const found = call({ key: 'l', state: 'done', ambiguousSince, result: { one: {} } });
    expect(findDuplicateWarnings(asset, [first, found])).toEqual([]);
  });
});

describe('calls that an incomplete asset does not warn about', () => {
  it.each<[string, Intent]>([
    ['a call with a response', call({ state: 'done', result: { one: { modelId: 'm' } } })],
    ['a refused call', call({ state: 'refused' })],
    ['a call for other assets', call({ assets: ['two'], versions: ['1-1'] })],
    ['a call for another version of its file', call({ versions: ['0-0', '2-2'] })],
    ['a call that only cancels another one', call({ of: 'j' })],
    [
      'a call that the report of its own run contains',
      { ...unversioned, ...answered, isInherited: true },
    ],
  ])('an asset does not warn about %s', (_what, one) => {
    expect(findDuplicateWarnings(asset, [one])).toEqual([]);
  });

  it('an asset does not warn about a call that its own warnings already contain', () => {
    expect(findDuplicateWarnings({ ...asset, warnings: [words] }, [call(answered)])).toEqual([]);
  });
});
