// Limits of the work of an expression for one asset: the number of evaluated parts and the size of their results.
import { describe, expect, it } from 'vitest';
import { maxOperandLength, maxSteps } from '../../src/language/expressions/expression-work.ts';
import {
  compileExpression,
  ExpressionError,
  toExpressionScope,
} from '../../src/language/expressions.ts';
import { placesOf, withNodes } from '../compile/_compile.ts';

const name = 'a-'.repeat(1_500);
const scope = toExpressionScope(
  {
    key: name,
    source: { path: `${name}.glb`, bytes: 7, mtimeMs: 0, version: '1' },
    platformIds: {},
  },
  { s: 'x', long: 'y'.repeat(maxOperandLength + 1) },
);

function compiled(source: string) {
  const program = compileExpression(source);
  if (!program.ok) throw new Error(program.problem.message);
  return program;
}

describe('the cost of typical expressions', () => {
  const short = toExpressionScope(
    {
      key: 'shoes/summer-24/red-low',
      source: { path: 'shoes/summer-24/red-low.glb', bytes: 7, mtimeMs: 0, version: '1' },
      platformIds: {},
    },
    { s: 'x' },
  );
  it.each([
    ['asset.key.split("/").map(p, p.upperAscii()).join("_")', 'SHOES_SUMMER-24_RED-LOW'],
    ['asset.folder.split("/").exists(p, p.startsWith("summer"))', true],
    ['asset.name.matches("^[a-z]+-[a-z]+$") && asset.key.size() < 100', true],
    ['asset.modifiedAt.getHours("Europe/Berlin") == 1', true],
    ['has(asset.key) && [1, 2].all(i, i > 0)', true],
  ])('a typical expression stays far below the limit: %s', (source, value) => {
    const program = compiled(source);
    expect(program.evaluate(short)).toBe(value);
    expect(program.steps()).toBeLessThan(maxSteps / 10);
  });
});

/** Each of these expressions built a text or a list that grew with every part, or took seconds. */
const bombs: readonly (readonly [source: string, why: string])[] = [
  ['asset.name.split("").map(x, asset.name) == []', 'steps'],
  ['asset.name.split("").map(x, asset.name.split("")) == []', 'steps'],
  ['asset.name.split("").map(x, asset.name + asset.name).join("-") == ""', 'characters'],
  ['asset.name.split("").join("................................") == ""', 'characters'],
  ['asset.name + asset.name == ""', 'characters'],
  ['asset.name.split("").all(x, asset.name.matches("^[a-]+$") || x != "")', 'steps'],
  ['asset.name.split("").exists(x, asset.name.split("").size() == 1)', 'steps'],
  ['true || asset.name.split("").map(x, asset.name) == []', 'none'],
  ['asset.name.split("").map(x, asset.name) == [] || true', 'steps'],
  ['asset.name.split("").exists(x, asset.modifiedAt.getHours("Europe/Berlin") == 99)', 'steps'],
  ['asset.name.split("").map(x, [x, x, x, x, x, x, x, x])', 'steps'],
  ['params.long == ""', 'characters'],
];

describe('hostile expressions', () => {
  it.each(bombs)('a hostile expression is abandoned: %s (%s)', (source, why) => {
    const program = compiled(source);
    if (why === 'none') expect(program.evaluate(scope)).toBe(true);
    else {
      expect(() => program.evaluate(scope)).toThrow(ExpressionError);
      expect(() => program.evaluate(scope)).toThrow(why);
    }
    expect(program.steps()).toBeLessThan(10 * maxSteps);
  });

  it('a call with a time zone counts as many steps, because it loads the rules of the zone', () => {
    const hoursOf = (zone: string) =>
      compiled(`asset.name.split("").exists(x, asset.modifiedAt.getHours(${zone}) == 99)`);
    const shortName = { ...scope, asset: { ...scope.asset, name: 'a'.repeat(300) } };
    expect(hoursOf('').evaluate(shortName)).toBe(false);
    expect(() => hoursOf('"Europe/Berlin"').evaluate(shortName)).toThrow('steps');
  });

  it('join accepts only a literal separator, so that the length of the result is known', () => {
    expect(compileExpression('asset.name.split("").join(asset.name)')).toMatchObject({
      ok: false,
      problem: { code: 'RL504' },
    });
  });

  it('after an abandoned evaluation, the next one starts from zero', () => {
    const program = compiled('asset.name.split("").map(x, asset.name) == []');
    expect(() => program.evaluate(scope)).toThrow(ExpressionError);
    expect(program.evaluate({ ...scope, asset: { ...scope.asset, name: 'a' } })).toBe(false);
  });

  it('a file can contain at most a thousand expressions', () => {
    const rules = (count: number) =>
      Array.from({ length: count }, () => '{ when: "true", template: T }').join(', ');
    const file = (count: number) =>
      withNodes(
        `{ id: t, type: template_match, parentIds: [take], config: { rules: [${rules(count)}] } }`,
      );
    expect(placesOf(file(1_000))).toEqual([]);
    expect(placesOf(file(1_001))).toHaveLength(1);
    expect(placesOf(file(1_001))[0]).toMatch(/ RL504$/);
  });
});
