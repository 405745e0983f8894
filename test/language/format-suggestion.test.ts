import { describe, expect, it } from 'vitest';
import { findNearestName } from '../../src/api/requests/nearest-name.ts';
import { formatSuggestion } from '../../src/language/format-suggestion.ts';

const types = ['connector_poll', 'model_ready', 'render', 'render_complete', 'export'];

describe('suggestions for a wrong name', () => {
  it.each([
    ['renderr', 'render'],
    ['rednder', 'render'],
    ['render-complete', 'render_complete'],
    ['modelready', 'model_ready'],
    ['exprot', 'export'],
    ['conector_pol', 'connector_poll'],
  ])('the suggestion for %s is %s', (name, meant) => {
    expect(findNearestName(name, types)).toBe(meant);
    expect(formatSuggestion(name, types)).toBe(`Did you mean "${meant}"?`);
  });

  it('the suggestion shows the difference between two similar names', () => {
    expect(formatSuggestion('Render', types)).toBe(
      'Did you mean "render"? (only upper and lower case differ)',
    );
  });

  it.each(['', 'zzz', 'completely_else', 'x'.repeat(1000)])(
    'the text "%s" is similar to no name',
    (name) => {
      expect(findNearestName(name, types)).toBeNull();
    },
  );

  it('if no known name is similar, a limited number of them is listed', () => {
    expect(formatSuggestion('zzz', types)).toBe(`Available: ${types.join(', ')}.`);
    const many = Array.from({ length: 30 }, (_, index) => `name${index}`);
    expect(formatSuggestion('zzz', many)).toMatch(/name19, …\.$/);
    expect(formatSuggestion('zzz', [])).toBeUndefined();
  });
});
