// Texts of the platform, made safe for messages and records.
import { describe, expect, it } from 'vitest';
import { plainText } from '../../src/api/responses/plain-text.ts';

describe('plain text', () => {
  it.each([
    ['words as they are', 'Red – Größe 42 (café)', 'Red – Größe 42 (café)'],
    ['no lines', 'first\r\nsecond\tthird', 'first second third'],
    ['nothing that steers a terminal', '\u001b[31mred\u001b[0m\u0007', 'red'],
    ['no title of a window', 'a\u001b]0;owned\u0007b\u009d8;;http://x\u009cc', 'abc'],
    ['no order in eight bits', 'a\u009b2Jb', 'ab'],
    ['no order that does not end', 'a\u001b]52;c;AAAA', 'a'],
    ['nothing that turns text around', 'gpj\u202eexe.\u2066x\u2069', 'gpjexe.x'],
    ['no half of a character', 'a\ud800b', 'a\ufffdb'],
    ['no other line ends either', 'a\u2028b\u0085c\u0000', 'a b c'],
    ['nothing at all', '', ''],
  ])('holds %s', (_, text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  it.each([
    ['is cut', 'x'.repeat(20), 'xxxxxxxxx…'],
    ['just fits', 'x'.repeat(10), 'xxxxxxxxxx'],
    ['cuts no character in two', `${'x'.repeat(8)}😀😀`, 'xxxxxxxx…'],
    ['that was mostly nothing is cut all the same', `${'\n'.repeat(100)}x`, '…'],
  ])('that is long %s', (_, text, plain) => {
    expect(plainText(text, 10)).toBe(plain);
  });

  it('of any length is quick', () => {
    expect(plainText('\u0007x'.repeat(20_000_000)).length).toBeLessThanOrEqual(400);
  });
});
