// Fuzzes what users can write, from a seed. Nothing may exceed its limits of steps and memory.
import fc from 'fast-check';
import { compileText } from '../../src/compile/compile.ts';
import { longestOperand, mostSteps } from '../../src/language/expression-work.ts';
import { assetScope, compileExpression, ExpressionError } from '../../src/language/expressions.ts';
import { GlobSet } from '../../src/language/glob-set.ts';
import { checkNaming } from '../../src/language/naming.ts';
import { placeholdersIn } from '../../src/language/placeholders.ts';
import { longestGlob, refuseGlob } from '../../src/language/read-glob.ts';
import { answers } from './answers.ts';
import { configuration } from './configuration.ts';
import { atMost, textOf } from './draw.ts';
import { pictures } from './pictures.ts';
import { receiver } from './receiver.ts';
import { tables } from './tables.ts';

const mostBytes = 500 * 1024 ** 2;
/** What a single operation may produce before it is counted, such as a join with a long separator. */
const mostEvaluated = 1_000 * mostSteps;
const mostProblems = 600;
/** Time limit for all inputs of a kind, and for shrinking a failure. */
const kindMs = 240_000;

const name = textOf(['a', 'b', '/', '.', '-', 'ab', '🪑'], longestOperand);
const glob = textOf(
  ['a', 'b', '*', '**', '/', '?', '[ab]', '[^a]', '{a,b}', '{*,a*}', '{**/a,b}'],
  longestGlob,
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
  if (refuseGlob(source) !== null) return;
  for (const style of ['path', 'name'] as const) {
    const globs = new GlobSet([source], { style, ignoreCase: true });
    globs.matching(text);
    atMost(globs.steps, 4 * longestGlob * (text.length + 2), 'steps of a glob');
  }
}

function templateHolds(text: string): void {
  checkNaming(text);
  atMost(placeholdersIn(text, '{{').found.length, text.length / 4, 'placeholders');
  const nodes = `nodes:\n  - { id: a, type: export, config: { naming: ${JSON.stringify(text)} } }`;
  fileHolds(`name: a\nkey: ${JSON.stringify(text)}\n${nodes}`);
}

function expressionHolds(source: string, text: string): void {
  const compiled = compileExpression(source);
  if (!compiled.ok) return;
  const from = { path: `${text}.glb`, bytes: 1, mtimeMs: 0, version: '1' };
  try {
    const value = compiled.evaluate(assetScope({ key: 'a', source: from, refs: {} }, { a: text }));
    atMost(String(value).length, longestOperand, 'characters of a value');
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
  }
  atMost(compiled.steps(), mostEvaluated, 'steps of an expression');
}

function fileHolds(text: string): void {
  const options = { cwd: '/', fileFolder: '/', parameters: {}, environment: {} };
  atMost(compileText(text, 'p.yaml', options).problems.length, mostProblems, 'problems of a file');
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
  globs: async (draw: Draw) => fc.check(fc.property(glob, name, globHolds), draw),
  templates: async (draw: Draw) => fc.check(fc.property(template, templateHolds), draw),
  expressions: async (draw: Draw) => fc.check(fc.property(expression, name, expressionHolds), draw),
  files: async (draw: Draw) => fc.check(fc.property(file, fileHolds), draw),
  answers: async (draw: Draw) => fc.check(answers, draw),
  pictures: async (draw: Draw) => fc.check(pictures, draw),
  tables: async (draw: Draw) => fc.check(tables, fewer(draw, 4)),
  configuration: async (draw: Draw) => fc.check(configuration, fewer(draw, 2)),
  receiver: async (draw: Draw) => fc.check(receiver, fewer(draw, 40)),
};

/** Fewer inputs for kinds that take many times longer, with threads, files or connections. */
function fewer(draw: Draw, times: number): Draw {
  return { ...draw, numRuns: Math.ceil(draw.numRuns / times) };
}

interface Draw {
  seed: number;
  numRuns: number;
  interruptAfterTimeLimit: number;
}

/** The violations, each with the data to reproduce it. */
export async function fuzzInputs(seed: number, runs: number): Promise<string[]> {
  const violations: string[] = [];
  for (const [kind, check] of Object.entries(kinds)) {
    const result = await check({ seed, numRuns: runs, interruptAfterTimeLimit: kindMs });
    console.log(`${kind}: ${result.numRuns} inputs`);
    if (!result.failed) continue;
    const shown = JSON.stringify(result.counterexample)?.slice(0, 2_000) ?? '';
    violations.push(`${kind}, seed ${seed}: ${String(result.errorInstance)}\n${shown}`);
  }
  const bytes = process.resourceUsage().maxRSS * 1024;
  return bytes <= mostBytes ? violations : [...violations, `seed ${seed}: took ${bytes} bytes`];
}
