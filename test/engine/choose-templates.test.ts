// The first matching rule wins. Every condition in the rule must be true.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseTemplates, type TemplateRule } from '../../src/features/templates/template-match.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { StepAsset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';
import { contextOn } from './_context.ts';
import { ScriptedPlatform } from './_platform.ts';

let platform: ScriptedPlatform;
beforeAll(async () => {
  platform = await ScriptedPlatform.start();
  platform.templates = ['A', 'B', 'C'].map((name) => ({ templateId: `t${name}`, name }));
});
afterAll(() => platform.stop());

const keyed = (key: string, platformIds: PlatformIds = {}, bytes = 700): StepAsset => ({
  ...asset(key, platformIds),
  source: { path: `${key}.glb`, bytes, mtimeMs: 1, version: 'v' },
});

async function choose(rules: TemplateRule[], one: StepAsset, fallback?: string) {
  const [result] = await chooseTemplates({ rules, default: fallback }, [one], contextOn(platform));
  if (result?.outcome === 'done') return result.platformIds?.templateId;
  return result?.outcome === 'failed' ? result.code : result;
}

describe('template rules', () => {
  const shoesGlob: TemplateRule = { glob: 'shoes/**', template: 'A' };
  it.each<[string, TemplateRule[], StepAsset, string]>([
    ['by a glob', [shoesGlob], keyed('shoes/red'), 'tA'],
    ['by a glob, regardless of case', [shoesGlob], keyed('Shoes/Red'), 'tA'],
    ['by a glob that matches nested folders', [shoesGlob], keyed('shoes/men/red'), 'tA'],
    ['by default if nothing matches', [shoesGlob], keyed('hats/red'), 'tC'],
    ['by a regex', [{ regex: '-\\d+$', template: 'A' }], keyed('x-12'), 'tA'],
    [
      'by default if a regex does not match',
      [{ regex: '-\\d+$', template: 'A' }],
      keyed('x-12b'),
      'tC',
    ],
    [
      'by a category',
      [{ category: 'shoes', template: 'B' }],
      keyed('x', { category: 'shoes' }),
      'tB',
    ],
    [
      'by a category with accents in another Unicode form',
      [{ category: 'M\u00f6bel', template: 'B' }],
      keyed('x', { category: 'Mo\u0308bel' }),
      'tB',
    ],
    [
      'by default if the category differs',
      [{ category: 'shoes', template: 'B' }],
      keyed('x'),
      'tC',
    ],
    [
      'by an expression',
      [{ when: 'asset.bytes > 1000', template: 'B' }],
      keyed('x', {}, 2_000),
      'tB',
    ],
    [
      'by default if an expression is false',
      [{ when: 'asset.bytes > 1000', template: 'B' }],
      keyed('x'),
      'tC',
    ],
    [
      'by the first of two matching rules',
      [shoesGlob, { glob: '**', template: 'B' }],
      keyed('shoes/red'),
      'tA',
    ],
    [
      'by the second rule if the first does not match',
      [shoesGlob, { glob: '**', template: 'B' }],
      keyed('hats/red'),
      'tB',
    ],
    [
      'by default if one condition of a rule fails',
      [{ glob: 'shoes/**', when: 'asset.bytes > 1000', template: 'A' }],
      keyed('shoes/red'),
      'tC',
    ],
    ['by the id of the template', [{ glob: '**', template: 'tB' }], keyed('x'), 'tB'],
    [
      'but fail if its name is unknown',
      [{ glob: '**', template: 'Z' }],
      keyed('x'),
      'TEMPLATE_NOT_FOUND',
    ],
  ])('template rules select a template %s', async (_name, rules, one, expected) => {
    expect(await choose(rules, one, 'C')).toBe(expected);
  });

  it('an asset that matches no rule fails if there is no default', async () => {
    expect(await choose([shoesGlob], keyed('hats/red'))).toBe('NO_TEMPLATE');
  });
});

describe('template rules for many assets', () => {
  it('many assets take one request, and each gets its own template', async () => {
    const before = platform.count('GET /templates');
    const many = Array.from({ length: 250 }, (_, index) =>
      keyed(index % 2 ? `a${index}` : `b${index}`),
    );
    const rules = [{ glob: 'a*', template: 'A' }];
    const results = await chooseTemplates({ rules, default: 'B' }, many, contextOn(platform));
    expect(results.map(({ key }) => key)).toEqual(many.map(({ key }) => key));
    expect(
      results.filter((one) => one.outcome === 'done' && one.platformIds?.templateId === 'tA'),
    ).toHaveLength(125);
    expect(platform.count('GET /templates')).toBe(before + 1);
  });

  it('an expression that fails on one asset fails only that asset', async () => {
    const rules = [{ when: 'int(asset.name) > 5', template: 'A' }];
    const results = await chooseTemplates(
      { rules, default: 'B' },
      [keyed('7'), keyed('seven'), keyed('3')],
      contextOn(platform),
    );
    expect(results).toMatchObject([
      { key: '7', outcome: 'done', platformIds: { templateId: 'tA' } },
      { key: 'seven', outcome: 'failed', code: 'EXPRESSION_FAILED' },
      { key: '3', outcome: 'done', platformIds: { templateId: 'tB' } },
    ]);
  });
});
