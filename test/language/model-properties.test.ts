// Properties of a model in conditions: how values compare, and which reads are refused.
import { describe, expect, it } from 'vitest';
import { decideCondition } from '../../src/language/condition-verdict.ts';
import {
  compileExpression,
  ExpressionError,
  toExpressionScope,
} from '../../src/language/expressions.ts';

const asset = {
  key: 'chair',
  source: { path: 'chair.glb', bytes: 7, mtimeMs: 0, version: '1' },
  platformIds: { modelId: 'm1' },
};
const properties = {
  approved: 'yes',
  Uses: ['web', 'print'],
  'Heel height': 7.5,
  launch: '2026-03-01',
  missing: null,
};
const scope = toExpressionScope(asset, {}, properties);

function compiled(source: string) {
  const program = compileExpression(source);
  if (!program.ok) throw new Error(`${program.problem.code} ${program.problem.message}`);
  return program;
}

describe('a condition on a property', () => {
  it.each([
    ['model.properties.approved == "yes"', true],
    ['model.properties.approved != "yes"', false],
    ['model.properties["approved"] in ["yes", "later"]', true],
    ['"web" in model.properties.Uses && !("shop" in model.properties.Uses)', true],
    ['model.properties["Heel height"] > 7', true],
    ['model.properties["Heel height"] == 7', false],
    ['model.properties.launch < "2026-04-01"', true],
    ['model.properties.missing == "yes"', false],
    ['model.properties.missing != "yes"', true],
    ['model.properties.missing == null', true],
    ['model.properties.missing != null && model.properties.missing > 3', false],
  ])('the condition %s is %s', (source, value) => {
    expect(compiled(source).evaluate(scope)).toBe(value);
  });

  it('a condition fails if it compares a missing value by size', () => {
    expect(() => compiled('model.properties.missing > 3').evaluate(scope)).toThrow(ExpressionError);
  });

  it('the properties that a condition reads are listed', () => {
    const { properties: read, reads } = compiled(
      'model.properties.approved == "yes" || model.properties["Heel height"] > 3 && asset.bytes > 1',
    );
    expect([...read].sort()).toEqual(['Heel height', 'approved']);
    expect(reads).toContain('model');
  });
});

describe('reads that do not name a property', () => {
  it.each([
    ['model.properties == null', 'model.properties is used without the name of a property'],
    ['"approved" in model.properties', 'model.properties is used without the name'],
    ['model.properties[asset.name] == "yes"', 'model.properties is used without the name'],
    ['model["properties"][asset.name] == "yes"', 'model.properties is used without the name'],
    ['has(model.properties.approved)', 'has() cannot tell'],
    ['row[asset.name] == "x"', 'row is used without the name of a column'],
  ])('a read that does not name a property is refused: %s', (source, message) => {
    const program = compileExpression(source);
    expect(program).toMatchObject({
      ok: false,
      problem: { code: 'RL502', message: expect.stringContaining(message) as string },
    });
  });
});

describe('conditions before the run', () => {
  it.each([
    ['model.properties.approved == "yes"', 'unknown'],
    ['asset.key == "table" && model.properties.approved == "yes"', 'no'],
    ['asset.key == "chair" || model.properties.approved == "yes"', 'yes'],
  ])('before the run, the condition %s is %s', (source, verdict) => {
    expect(decideCondition(compiled(source), scope, ['model.properties'])).toBe(verdict);
  });
});
