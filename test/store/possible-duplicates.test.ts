// What the report of an incomplete asset says about calls whose outcome no result has reported.
import { describe, expect, it } from 'vitest';
import type { Intent } from '../../src/store/calls/intents.ts';
import { possibleDuplicateWarnings } from '../../src/store/calls/possible-duplicates.ts';
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

describe('an asset warns of', () => {
  it.each<[string, Intent[], string | RegExp]>([
    ['what a call that was sent again has left', [call(answered)], words],
    ['a call that was given up after it', [call({ ...answered, state: 'abandoned' })], words],
    ['a call of which nothing tells', [call()], /^createJob was sent, but its outcome is unknown/],
    [
      'a call that failed',
      [call({ ambiguousSince })],
      /^createJob was sent, but its outcome is unknown/,
    ],
    [
      'a refusal after a failure',
      [call({ state: 'refused', ambiguousSince })],
      /^createJob was sent/,
    ],
    ['a call that it inherited, and ended', [call({ ...answered, isInherited: true })], words],
  ])('%s', (_what, calls, expected) => {
    expect(possibleDuplicateWarnings(asset, calls)).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    ]);
  });

  it('an ambiguous outcome once, by the call that has inherited it', () => {
    const first = call({ state: 'refused', ambiguousSince });
    expect(possibleDuplicateWarnings(asset, [first, call({ key: 'l', ...answered })])).toEqual([
      words,
    ]);
    const found = call({ key: 'l', state: 'done', ambiguousSince, result: { one: {} } });
    expect(possibleDuplicateWarnings(asset, [first, found])).toEqual([]);
  });
});

describe('an asset does not warn of', () => {
  it.each<[string, Intent]>([
    ['a call that was answered', call({ state: 'done', result: { one: { modelId: 'm' } } })],
    ['a refusal', call({ state: 'refused' })],
    ['a call for others', call({ assets: ['two'], versions: ['1-1'] })],
    ['a call for another version of its file', call({ versions: ['0-0', '2-2'] })],
    ['a call that only ends another one', call({ of: 'j' })],
    [
      'what the run that made the call has told',
      { ...unversioned, ...answered, isInherited: true },
    ],
  ])('%s', (_what, one) => {
    expect(possibleDuplicateWarnings(asset, [one])).toEqual([]);
  });

  it('what its own warnings already say', () => {
    expect(possibleDuplicateWarnings({ ...asset, warnings: [words] }, [call(answered)])).toEqual(
      [],
    );
  });
});
