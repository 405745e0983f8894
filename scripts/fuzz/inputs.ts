// Fuzzes all kinds of untrusted input, using a seed. Nothing may exceed its limits on steps and memory.
import fc from 'fast-check';
import { compileText } from '../../src/compile/compile.ts';
import { maxOperandLength, maxSteps } from '../../src/language/expressions/expression-work.ts';
import {
  compileExpression,
  ExpressionError,
  toExpressionScope,
} from '../../src/language/expressions.ts';
import { GlobSet } from '../../src/language/glob-set.ts';
import { checkNaming } from '../../src/language/naming/naming.ts';
import { findPlaceholders } from '../../src/language/naming/placeholders.ts';
import { findGlobProblem, maxGlobLength } from '../../src/language/read-glob.ts';
import { assertAtMost, textOf } from './arbitraries.ts';
import { configuration } from './configuration.ts';
import { pictures } from './pictures.ts';
import { receiver } from './receiver.ts';
import { answers } from './responses.ts';
import { tables } from './tables.ts';

const maxBytes = 500 * 1024 ** 2;
/**
 * The limit is higher than `maxSteps`, because an operation, such as a join with a long separator, is counted after it
 * ran.
 */
const maxEvaluated = 1_000 * maxSteps;
const maxProblems = 600;
/** Time limit for all inputs of one kind, and for shrinking a failure. */
const kindMs = 240_000;

const name = textOf(['a', 'b', '/', '.', '-', 'ab', '🪑'], maxOperandLength);
const glob = textOf(
  ['a', 'b', '*', '**', '/', '?', '[ab]', '[^a]', '{a,b}', '{*,a*}', '{**/a,b}'],
  maxGlobLength,
);
const template = textOf(
  ['{{', '}}', '{{ key }}', '{{ext}}', '${{', '${{ params.a }}', ' ', 'a', '/', '..'],
  5_000,
);
const expression = textOf(
  [
    'asset.name',
    '.split("")',
    '.split("a")',
    '.map(x, x)',
    '.map(x, asset.name)',
    '.filter(x, x != "")',
    '.join("--")',
    '.exists(x, x == "b")',
    '.matches("^[ab]+b$")',
    ' + ',
    ' == ',
    ' && ',
    ' || ',
    '[',
    ']',
    '(',
    ')',
    '"a"',
    '1',
    ', ',
    'params.a',
    '!',
  ],
  1_000,
);

function globHolds(source: string, text: string): void {
  if (findGlobProblem(source) !== null) return;
  for (const style of ['path', 'name'] as const) {
    const globs = new GlobSet([source], { style, ignoreCase: true });
    globs.matching(text);
    assertAtMost(globs.steps, 4 * maxGlobLength * (text.length + 2), 'steps of a glob');
  }
}

function templateHolds(text: string): void {
  checkNaming(text);
  assertAtMost(findPlaceholders(text, '{{').placeholders.length, text.length / 4, 'placeholders');
  const nodes = `nodes:\n  - { id: a, type: export, config: { naming: ${JSON.stringify(text)} } }`;
  fileHolds(`name: a\nkey: ${JSON.stringify(text)}\n${nodes}`);
}

function expressionHolds(source: string, text: string): void {
  const compiledExpression = compileExpression(source);
  if (!compiledExpression.ok) return;
  const sourceFile = { path: `${text}.glb`, bytes: 1, mtimeMs: 0, version: '1' };
  try {
    const value = compiledExpression.evaluate(
      toExpressionScope({ key: 'a', source: sourceFile, platformIds: {} }, { a: text }),
    );
    assertAtMost(String(value).length, maxOperandLength, 'characters of a value');
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
  }
  assertAtMost(compiledExpression.steps(), maxEvaluated, 'steps of an expression');
}

function fileHolds(text: string): void {
  const options = { cwd: '/', fileFolder: '/', parameters: {}, environment: {} };
  assertAtMost(
    compileText(text, 'p.yaml', options).problems.length,
    maxProblems,
    'problems of a file',
  );
}

const file = textOf(
  [
    'name: a\n',
    'nodes:\n',
    '- ',
    '  ',
    '{',
    '}',
    '[',
    ']',
    'a: ',
    '&a ',
    '*a ',
    '"',
    "'",
    '|\n',
    '\n',
    ', ',
    '${{ params.a }}',
    '? ',
    'k',
  ],
  100_000,
);

const kinds = {
  globs: async (draw: FuzzTarget) => fc.check(fc.property(glob, name, globHolds), draw),
  templates: async (draw: FuzzTarget) => fc.check(fc.property(template, templateHolds), draw),
  expressions: async (draw: FuzzTarget) =>
    fc.check(fc.property(expression, name, expressionHolds), draw),
  files: async (draw: FuzzTarget) => fc.check(fc.property(file, fileHolds), draw),
  answers: async (draw: FuzzTarget) => fc.check(answers, draw),
  pictures: async (draw: FuzzTarget) => fc.check(pictures, draw),
  tables: async (draw: FuzzTarget) => fc.check(tables, withFewerRuns(draw, 4)),
  configuration: async (draw: FuzzTarget) => fc.check(configuration, withFewerRuns(draw, 2)),
  receiver: async (draw: FuzzTarget) => fc.check(receiver, withFewerRuns(draw, 40)),
};

/** Reduces the number of inputs for kinds that are slow because they use threads, files or connections. */
function withFewerRuns(draw: FuzzTarget, times: number): FuzzTarget {
  return { ...draw, numRuns: Math.ceil(draw.numRuns / times) };
}

interface FuzzTarget {
  seed: number;
  numRuns: number;
  interruptAfterTimeLimit: number;
}

/** Returns the violations, each with the data to reproduce it. */
export async function fuzzInputs(seed: number, runs: number): Promise<string[]> {
  const violations: string[] = [];
  for (const [kind, check] of Object.entries(kinds)) {
    const result = await check({ seed, numRuns: runs, interruptAfterTimeLimit: kindMs });
    console.log(`${kind}: ${result.numRuns} inputs`);
    if (!result.failed) continue;
    const counterexample = JSON.stringify(result.counterexample)?.slice(0, 2_000) ?? '';
    violations.push(`${kind}, seed ${seed}: ${String(result.errorInstance)}\n${counterexample}`);
  }
  const bytes = process.resourceUsage().maxRSS * 1024;
  return bytes <= maxBytes ? violations : [...violations, `seed ${seed}: took ${bytes} bytes`];
}
