import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CelParameters,
  compileExpression,
  ExpressionError,
  sourceFieldsOf,
  toExpressionScope,
} from '../../src/language/expressions.ts';

const params = { n: 3, s: 'x', b: true };
const types: CelParameters = { n: 'double', s: 'string', b: 'bool' };
const scope = toExpressionScope(
  {
    key: 'shoes/red',
    source: {
      path: 'shoes/red.v2.GLB',
      bytes: 1_600_000,
      mtimeMs: Date.UTC(2026, 2, 1),
      version: '1',
    },
    platformIds: { modelId: 'm1', category: 'shoe' },
  },
  params,
);

/** Evaluates an expression with known types, as the checker does, and without types, as a worker does. */
function bothWays(source: string): unknown[] {
  return [types, undefined].map((known) => {
    const compiled = compileExpression(source, known);
    if (!compiled.ok) throw new Error(`${compiled.problem.code} ${compiled.problem.message}`);
    return compiled.evaluate(scope);
  });
}

function problemOf(source: string) {
  const compiled = compileExpression(source, types);
  if (compiled.ok) throw new Error(`"${source}" is taken`);
  return compiled.problem;
}

describe('the variables of an asset', () => {
  it.each([
    ['asset.key', 'shoes/red'],
    ['asset.path', 'shoes/red.v2.GLB'],
    ['asset.name', 'red.v2'],
    ['asset.extension', 'glb'],
    ['asset.folder', 'shoes'],
    ['asset.bytes', 1_600_000],
    ['asset.modifiedAt > timestamp("2026-01-01T00:00:00Z")', true],
    ['asset.modifiedAt.getFullYear() == 2026', true],
    ['asset.modifiedAt', '2026-03-01T00:00:00.000Z'],
    ['model.id', 'm1'],
    ['model.category', 'shoe'],
    ['template.id', ''],
    ['project.id == ""', true],
    ['params.s', 'x'],
    ['params.b', true],
  ])('the variable %s is %j', (source, value) => {
    expect(bothWays(source)).toEqual([value, value]);
  });

  it.each([
    ['a.glb', { folder: '', name: 'a', extension: 'glb' }],
    ['a/b/.hidden', { folder: 'a/b', name: '.hidden', extension: '' }],
    ['noext', { folder: '', name: 'noext', extension: '' }],
    ['a.b/c', { folder: 'a.b', name: 'c', extension: '' }],
    ['x.tar.gz', { folder: '', name: 'x.tar', extension: 'gz' }],
  ])('the parts of the asset path %s are %j', (path, parts) => {
    expect(sourceFieldsOf({ path, bytes: 0, mtimeMs: 0 })).toMatchObject(parts);
  });
});

describe('numbers in expressions', () => {
  it.each([
    ['asset.bytes / 1000000 > 1.5', true],
    ['asset.bytes == 1600000', true],
    ['asset.bytes != 1600000', false],
    ['1600000 == asset.bytes', true],
    ['asset.bytes % 7 == 3', true],
    ['params.n + 1 == 4', true],
    ['1 + params.n == 4', true],
    ['params.n - 1 == 2', true],
    ['7 - params.n == 4', true],
    ['params.n * 2 == 6.0', true],
    ['2 * params.n == 6', true],
    ['params.n / 2 == 1.5', true],
    ['params.n > 2 && params.n <= 3', true],
    ['[1, 2, 3].exists(i, i == params.n)', true],
    ['-params.n < 0', true],
  ])('the number expression %s is %j', (source, value) => {
    expect(bothWays(source)).toEqual([value, value]);
  });
});

describe('text and choices in expressions', () => {
  it.each([
    ['asset.key.startsWith("shoes/")', true],
    ['asset.folder in ["shoes", "boots"]', true],
    ['asset.key.split("/")[0]', 'shoes'],
    ['asset.key.matches("^shoes/[a-z]+$")', true],
    ['asset.bytes > 1000 ? "big" : "small"', 'big'],
    ['asset.name.contains("red") && !asset.name.endsWith("draft")', true],
  ])('the text expression %s is %j', (source, value) => {
    expect(bothWays(source)).toEqual([value, value]);
  });
});

describe('problems of an expression', () => {
  it.each([
    ['true &&', 'RL501', 6, 7],
    ['asset.key ==', 'RL501', 11, 12],
    ['asset.kay == "x"', 'RL502', 6, 9],
    ['assets.key == "x"', 'RL502', 0, 6],
    ['asset.key == 3', 'RL502', 0, 14],
    ['asset.key > 3 || true', 'RL502', 0, 13],
    ['asset.bytes + "a" == 1', 'RL502', 0, 17],
    ['x'.repeat(1001), 'RL504', 0, 1],
    [`${'('.repeat(30)}true${')'.repeat(30)}`, 'RL504', 24, 25],
    ['cel.bind(x, 1, x == 1)', 'RL504', 0, 22],
    ['[1].map(x, [1].map(y, y)) == []', 'RL504', 11, 24],
    ['asset.key.matches(asset.name)', 'RL504', 0, 29],
    ['asset.key.matches("(a+)+$")', 'RL504', 18, 26],
    [`[${'1,'.repeat(150)}1] == []`, 'RL504', 201, 202],
  ])('the expression %s has the problem %s at %i-%i', (source, code, start, end) => {
    expect(problemOf(source)).toMatchObject({ code, start, end });
  });

  it.each([
    ['asset.kay == "x"', 'Did you mean "key"?'],
    ['assets.key == "x"', 'Did you mean "asset"?'],
    ['folder == "x"', 'Did you mean "asset.folder"?'],
    ['params.m == 1', 'Available: n, s, b.'],
    ['modle.id == ""', 'Did you mean "model"?'],
  ])('the problem in %s comes with the hint: %s', (source, hint) => {
    expect(problemOf(source).hint).toBe(hint);
  });

  it('the parameters and variables that an expression reads are listed', () => {
    const compiled = compileExpression('params.n > 1 && model.id != "" && asset.key != ""', types);
    expect(compiled.ok && compiled.reads).toEqual(
      expect.arrayContaining(['params.n', 'model', 'asset.key']),
    );
  });
});

describe('evaluation', () => {
  it.each(['asset.key.split("/")[9] == "x"', 'timestamp(asset.name) < asset.modifiedAt'])(
    'the expression %s fails for this asset, and the message contains the expression',
    (source) => {
      const compiled = compileExpression(source);
      expect(() => compiled.ok && compiled.evaluate(scope)).toThrow(ExpressionError);
      expect(() => compiled.ok && compiled.evaluate(scope)).toThrow(source);
    },
  );

  it.each([
    'asset.__proto__ == ""',
    'asset.constructor == ""',
    'params.__proto__ == ""',
    'this.process == ""',
    'globalThis == ""',
    'constructor == ""',
  ])('the expression %s has no access to the machine', (source) => {
    expect(compileExpression(source, types).ok).toBe(false);
  });

  it('compilation never throws, and reports every problem at a position within the text', () => {
    const words =
      'asset . key params n ( ) [ ] "a" 1 1.5 == && + ! ? : , matches map exists x true { } -';
    const word = fc.constantFrom(...words.split(' '), ' in ');
    const source = fc.oneof(
      fc.array(word, { maxLength: 25 }).map((words) => words.join('')),
      fc.string({ maxLength: 60 }),
    );
    fc.assert(
      fc.property(source, (text) => {
        const compiled = compileExpression(text, types);
        if (compiled.ok) return;
        const { start, end, message } = compiled.problem;
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start).toBeLessThanOrEqual(Math.max(0, text.length - 1));
        expect(end).toBeGreaterThan(start);
        expect(message).not.toBe('');
      }),
      { numRuns: 1000 },
    );
  });
});
