// Tests which secrets are valid while one replaces another.
import { describe, expect, test } from 'vitest';
import { Secrets } from '../../src/receiver/secrets.ts';

describe('secrets', () => {
  test('secrets that a person has set are all valid', () => {
    expect(new Secrets(['new', 'old'], { read: null }).valid).toEqual(['new', 'old']);
  });

  test('the current and the previous secret of the platform are valid, and older ones are not', async () => {
    const answers = ['a', 'b', 'c'];
    const secrets = new Secrets([], { read: async () => answers.shift() ?? '' });
    await secrets.refresh();
    await secrets.refresh();
    expect(secrets.valid).toEqual(['b', 'a']);
    await secrets.refresh();
    expect(secrets.valid).toEqual(['c', 'b']);
  });

  test('after wrong signatures, secrets are refreshed at most once per minute', async () => {
    let nowMs = 0;
    let asked = 0;
    const read = async () => {
      asked += 1;
      return 'a';
    };
    const secrets = new Secrets([], { read, now: () => nowMs });
    await secrets.refresh();
    for (nowMs = 0; nowMs < 180_000; nowMs += 1_000) secrets.refreshIfDue();
    expect(asked).toBe(3);
  });

  test('secrets stay valid if the platform does not respond', async () => {
    const secrets = new Secrets(['set'], { read: () => Promise.reject(new Error('away')) });
    secrets.refreshIfDue();
    await expect(secrets.refresh()).rejects.toThrow('away');
    expect(secrets.valid).toEqual(['set']);
  });
});
