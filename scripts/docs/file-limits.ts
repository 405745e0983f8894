// The limits of pipeline files and of the languages in them, and how the tables of limits are written.
import { maxExpressions } from '../../src/compile/checks/check-annotations.ts';
import { maxPlanBytes } from '../../src/compile/compile.ts';
import { maxIncludes, maxNodes } from '../../src/compile/pipeline.ts';
import { maxExceptions, maxSchedules } from '../../src/compile/schedule-fields.ts';
import {
  maxAliases,
  maxFileLength,
  maxTextLength,
  maxValues,
} from '../../src/compile/yaml/document.ts';
import { maxPerSeverity } from '../../src/compile/yaml/findings.ts';
import {
  maxExpressionLength,
  maxMacros,
} from '../../src/language/expressions/expression-limits.ts';
import { maxOperandLength, maxSteps } from '../../src/language/expressions/expression-work.ts';
import { expressionLimits } from '../../src/language/expressions.ts';
import { maxGlobs, maxNamingLength, maxValueLength } from '../../src/language/fields.ts';
import { maxGlobNameLength, maxGlobSteps } from '../../src/language/glob-set.ts';
import { maxPlaceholders } from '../../src/language/naming/placeholders.ts';
import { maxGlobLength, maxPaths, maxStars } from '../../src/language/read-glob.ts';
import { maxMatchedLength, maxRegexLength } from '../../src/language/regex-safety.ts';
import { formatNumber } from '../../src/plan/helpers/format-count.ts';
import { maxFileBytes } from '../../src/settings/config-file.ts';
import { maxDepth, maxTokens } from '../../src/settings/yaml-nesting.ts';
import { formatBytes, toCode } from './markdown.ts';

export type Limit = readonly [input: string, bound: string, exceeded: string];

export const amount = (count: number, unit: string) => `${formatNumber(count)} ${unit}`;
export const characters = (count: number) => amount(count, 'characters');

export const refusedBy = (...names: string[]) =>
  `the file is rejected with a line number: ${names.map(toCode).join(', ')}`;
export const failsBy = (name: string) => `the asset fails: ${toCode(name)}`;
export const fileRefused = 'the file is rejected before the upload, with the reason';

export const fileLimits: readonly Limit[] = [
  [
    'a pipeline file',
    `${formatBytes(maxFileLength)}, ${amount(maxTokens, 'YAML tokens')}`,
    refusedBy('RL105'),
  ],
  ['text or a key in a pipeline file', characters(maxTextLength), refusedBy('RL105')],
  [
    'a text, or the whole file, after parameters are inserted',
    `${characters(maxTextLength)}, ${formatBytes(maxFileLength)}`,
    refusedBy('RL105'),
  ],
  ['shared parts that a pipeline includes', amount(maxIncludes, 'files'), refusedBy('RL204')],
  ['a pipeline file with its shared parts', formatBytes(maxFileLength), refusedBy('RL105')],
  [
    'values that a pipeline takes from shared parts',
    amount(maxValues, 'values'),
    refusedBy('RL105'),
  ],
  ['the value of a parameter', characters(maxTextLength), refusedBy('RL311')],
  ['nesting', amount(maxDepth, 'levels'), refusedBy('RL104')],
  [
    'aliases, and values after aliases are expanded',
    `${formatNumber(maxAliases)}, ${formatNumber(maxValues)}`,
    refusedBy('RL106'),
  ],
  [
    'nodes, schedules, entries of `except`',
    [maxNodes, maxSchedules, maxExceptions].map(formatNumber).join(', '),
    refusedBy('RL204'),
  ],
  ['the compiled plan of a file', amount(maxPlanBytes, 'bytes'), refusedBy('RL105')],
  [
    'problems that are listed per severity',
    formatNumber(maxPerSeverity),
    'further problems are counted',
  ],
  [toCode('renderline.yaml'), formatBytes(maxFileBytes), 'the command fails with a message'],
];

export const languageLimits: readonly Limit[] = [
  [
    'a glob',
    `${characters(maxGlobLength)}, ${amount(maxStars, 'stars')}, ${amount(maxPaths, 'alternatives in braces')}`,
    refusedBy('RL511'),
  ],
  ['globs in one list', formatNumber(maxGlobs), refusedBy('RL204')],
  [
    'a name or path that globs are matched against',
    characters(maxGlobNameLength),
    'no glob matches',
  ],
  [
    'steps of matching all names of a list',
    formatNumber(maxGlobSteps),
    'the run or command fails with a message',
  ],
  [
    'pairs of double braces in a text',
    formatNumber(maxPlaceholders),
    refusedBy('RL306', 'RL501', 'RL521'),
  ],
  [
    'a naming template, a value with expressions',
    `${formatNumber(maxNamingLength)}, ${characters(maxValueLength)}`,
    refusedBy('RL204'),
  ],
  [
    'an expression',
    `${characters(maxExpressionLength)}, ${amount(expressionLimits.maxAstNodes, 'parts')}, ${amount(expressionLimits.maxDepth, 'levels')}, ${amount(maxMacros, 'macros')}`,
    refusedBy('RL504'),
  ],
  [
    'a list, a mapping in an expression',
    `${formatNumber(expressionLimits.maxListElements)}, ${amount(expressionLimits.maxMapEntries, 'entries')}`,
    refusedBy('RL504'),
  ],
  ['expressions in one file', formatNumber(maxExpressions), refusedBy('RL504')],
  [
    'the evaluation of an expression for one asset',
    `${amount(maxSteps, 'steps')}, ${characters(maxOperandLength)} in any text`,
    failsBy('EXPRESSION_FAILED'),
  ],
  [
    'a regular expression',
    `${characters(maxRegexLength)}, at most quadratic time in the length of the text`,
    refusedBy('RL512'),
  ],
  [
    'a text that regular expressions are matched against',
    characters(maxMatchedLength),
    'no expression matches',
  ],
];
