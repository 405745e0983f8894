// Escaping of names from files and the platform for terminals.
import { describe, expect, test } from 'vitest';
import {
  escapeForTerminal,
  sanitizeForTerminal,
  terminalSafeJson,
} from '../../src/cli/terminal-text.ts';

const hostile = [
  ['a title of the window', 'a\u001b]0;owned\u0007b', 'ab'],
  ['a colour that hides', 'a\u001b[8mb', 'ab'],
  ['a way back over the line', 'ok\rbad', 'ok bad'],
  ['an order in eight bits', 'a\u009b2Jb', 'ab'],
  ['text that is turned around', 'a\u202eb', 'ab'],
  ['a line end of Unicode', 'a\u2028b', 'a b'],
] as const;

describe('text for people', () => {
  test.each(hostile)('holds no %s', (_, text, plain) => {
    expect(sanitizeForTerminal(text, false)).toBe(plain);
    expect(sanitizeForTerminal(text, true)).toBe(plain);
  });

  test('keeps its lines, and its colours where it has any', () => {
    const text = '\u001b[31mred\u001b[39m\n  next';
    expect(sanitizeForTerminal(text, true)).toBe(text);
    expect(sanitizeForTerminal(text, false)).toBe('red\n  next');
  });
});

describe('JSON', () => {
  test.each(hostile)('tells of %s and does not do it', (_, text) => {
    const json = terminalSafeJson({ name: text });
    expect(JSON.parse(json)).toEqual({ name: text });
    expect(sanitizeForTerminal(json, false)).toBe(json);
  });
});

describe('values for text', () => {
  test('have each text in one line, with what is hidden in it written out', () => {
    const value = {
      keys: ['a\nb', 'c\r\td', 'plain \u00e9 \u{1f600}'],
      'x\ny': { message: 'e\u001b[31m\u009b2J', order: 'f\u202e\u2066\u2028\ufeff\ud800' },
      count: 3,
      none: null,
      map: new Map([['g\nh', ['i\nj']]]),
    };
    expect(escapeForTerminal(value)).toEqual({
      keys: ['a\\nb', 'c\\r\\td', 'plain \u00e9 \u{1f600}'],
      'x\\ny': { message: 'e\\u001b[31m\\u009b2J', order: 'f\\u202e\\u2066\\u2028\\ufeff\\ud800' },
      count: 3,
      none: null,
      map: new Map([['g\\nh', ['i\\nj']]]),
    });
  });

  test('keep the lines of a fix, which are ours', () => {
    expect(escapeForTerminal({ fix: 'one\ntwo\u001b[1m' })).toEqual({ fix: 'one\ntwo\\u001b[1m' });
  });
});
