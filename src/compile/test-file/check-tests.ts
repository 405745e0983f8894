// Reads and checks a test file. Like for pipelines, all problems are reported at once with their positions.
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { operations } from '../../api/operations/index.ts';
import { knownFailures } from '../../features/failures.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import { problemCodes } from '../../language/problem-codes.ts';
import { type CompileOptions, compileFile } from '../compile.ts';
import { fieldsOf } from '../node-draft.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';
import { Findings } from '../yaml/findings.ts';
import { loadText } from '../yaml/load.ts';
import type { Problem } from '../yaml/problem.ts';
import { readPipelineFile } from '../yaml/read-file.ts';
import { parseShape } from '../yaml/shape.ts';
import type { Range } from '../yaml/source-text.ts';
import { type Fault, type FaultSubject, faultFields, TestFile } from './test-file.ts';

export interface CheckedTests {
  /** Path of the file, as the person named it. */
  file: string;
  /** Folder of the file, absolute. */
  folder: string;
  /** Absolute path of the pipeline; empty if the file cannot be read or parsed. */
  pipeline: string;
  /** Channels of `renderline.yaml`, for the pipeline. */
  channels: Readonly<Record<string, unknown>>;
  tests: TestFile | null;
  document: LocatedDocument | null;
  problems: Problem[];
  source: string | null;
}

type TestFileOptions = Pick<CompileOptions, 'cwd' | 'environment' | 'channels'>;

interface Scope {
  document: LocatedDocument;
  findings: Findings;
  folder: string;
}

/** Reads a test file. Problems are in the result, not thrown. */
export async function checkTestFile(
  file: string,
  { cwd, environment, channels = {} }: TestFileOptions,
): Promise<CheckedTests> {
  const absolute = resolve(cwd, file);
  const folder = dirname(absolute);
  const nothing = { file, folder, pipeline: '', channels, tests: null, document: null };
  const read = await readPipelineFile(absolute, file);
  if (!read.ok) return { ...nothing, problems: [read.problem], source: null };
  const { document, findings, source } = loadText(read.text, file, 'tests');
  const { text } = source;
  if (document === null) return { ...nothing, problems: findings.all(), source: text };
  if (fieldsOf(document.value) === null) {
    findings.error('RL203', document.valueRange([]), 'a test file is a mapping with `tests:`');
    return { ...nothing, problems: findings.all(), source: text };
  }
  const scope = { document, findings, folder };
  const parsed = parseShape(TestFile, document.value, {
    document,
    findings,
    at: [],
    documentName: 'a test file',
    pendingParameter: () => null,
  });
  const pipeline = pipelineOf(parsed, absolute);
  if (parsed !== null) {
    checkNames(parsed, scope);
    for (const [path, run] of runsOf(parsed)) checkRun(path, run, scope);
    await checkAgainstPipeline(parsed, { ...scope, pipeline, cwd, environment, channels });
  }
  const isValid = findings.errorCount === 0;
  const found = { document, problems: findings.all(), source: text };
  return { ...nothing, ...found, pipeline, tests: isValid ? parsed : null };
}

function pipelineOf(parsed: TestFile | null, absolute: string): string {
  if (parsed?.pipeline !== undefined) return resolve(dirname(absolute), parsed.pipeline);
  const own = basename(absolute).replace(/\.test\.ya?ml$/, '');
  return join(dirname(absolute), `${own}.yaml`);
}

type Run = Pick<TestFile['tests'][number], 'files' | 'faults' | 'expect' | 'parameters'>;

/** Every run of every test, with its path in the document. */
function* runsOf({ tests }: TestFile): Generator<readonly [Path, Run]> {
  for (const [index, test] of tests.entries()) {
    yield [['tests', index], test];
    for (const [next, run] of test.again.entries()) yield [['tests', index, 'again', next], run];
  }
}

function checkNames({ tests }: TestFile, { document, findings }: Scope): void {
  const before = new Set<string>();
  for (const [index, { name }] of tests.entries()) {
    if (before.has(name)) {
      const range = document.valueRange(['tests', index, 'name']);
      findings.error('RL801', range, `there are two tests ${JSON.stringify(name)}`);
    }
    before.add(name);
  }
}

function checkRun(at: Path, { files, faults, expect }: Run, scope: Scope): void {
  const { document, findings, folder } = scope;
  for (const [index, file] of files.entries()) {
    const path = [...at, 'files', index];
    const generatedFile = typeof file === 'string' ? { path: file } : file;
    const range = document.valueRange(typeof file === 'string' ? path : [...path, 'path']);
    if (leavesFolder(generatedFile.path)) {
      findings.error(
        'RL803',
        range,
        `"${generatedFile.path}" is outside of the folder of the test`,
      );
    }
    if (generatedFile.copy !== undefined && !existsSync(resolve(folder, generatedFile.copy))) {
      const text = `there is no file ${resolve(folder, generatedFile.copy)}`;
      findings.error('RL803', document.valueRange([...path, 'copy']), text);
    }
    if (generatedFile.count !== undefined && !generatedFile.path.includes('{n}')) {
      findings.error('RL803', range, `with \`count\`, "${generatedFile.path}" needs \`{n}\` in it`);
    }
    if (!isCreatable(generatedFile)) {
      const text = `there is no known way to create "${generatedFile.path}"`;
      findings.error('RL803', range, text, 'Give its `text`, or `copy` a file.');
    }
  }
  for (const [index, fault] of faults.entries()) checkFault([...at, 'faults', index], fault, scope);
  const { requests = {}, failures = [], failureCodes = {} } = expect;
  for (const name of Object.keys(requests)) {
    if (name === 'total') continue;
    checkOperation(name, document.keyRange([...at, 'expect', 'requests', name]), scope);
  }
  const codes = [
    ...failures.flatMap(({ code }, index) =>
      code === undefined
        ? []
        : [{ code, range: document.valueRange([...at, 'expect', 'failures', index, 'code']) }],
    ),
    ...Object.keys(failureCodes).map((code) => ({
      code,
      range: document.keyRange([...at, 'expect', 'failureCodes', code]),
    })),
    ...(expect.cause === undefined
      ? []
      : [{ code: expect.cause, range: document.valueRange([...at, 'expect', 'cause']) }]),
  ];
  for (const { code, range } of codes) {
    // Failure codes of the platform are not listed anywhere, so an unknown code is only a warning.
    const known = [...knownFailures.map((one) => one.code), ...Object.keys(problemCodes)];
    if (known.includes(code)) continue;
    const hint = formatSuggestion(code, known);
    const text = `"${code}" is no failure code of this version`;
    findings.warning('RL802', range, text, hint?.startsWith('Did') ? hint : undefined);
  }
}

function leavesFolder(path: string): boolean {
  return path.startsWith('/') || path.split(/[/\\]/).includes('..');
}

const creatableFiles = /\.(?:glb|png|jpe?g)$/i;

function isCreatable({ path, text, copy, broken }: Exclude<Run['files'][number], string>): boolean {
  return (
    text !== undefined || copy !== undefined || broken !== undefined || creatableFiles.test(path)
  );
}

function checkFault(at: Path, fault: Fault, scope: Scope): void {
  const { document, findings } = scope;
  const all = Object.keys(faultFields) as FaultSubject[];
  const subjects = all.filter((one) => fault[one] !== undefined);
  const [subject] = subjects;
  const range = document.valueRange(at);
  if (subject === undefined || subjects.length > 1) {
    const problem = subject === undefined ? 'names no subject' : `names ${subjects.join(' and ')}`;
    findings.error('RL804', range, `a fault ${problem}`, `Name one of ${all.join(', ')}.`);
    return;
  }
  const effects = new Set(Object.values(faultFields).flat());
  const own = faultFields[subject];
  const presentEffects = [...effects].filter((effect) => fault[effect] !== undefined);
  for (const effect of presentEffects.filter((one) => !own.includes(one))) {
    const text = `\`${effect}\` does not apply to a ${subject}`;
    findings.error(
      'RL804',
      document.keyRange([...at, effect]),
      text,
      `It takes ${own.join(', ')}.`,
    );
  }
  if (presentEffects.length === 0) {
    const text = `the fault does not say what happens to the ${subject}`;
    findings.error('RL804', range, text, `Give it one of ${own.join(', ')}.`);
  }
  if (subject === 'request' && fault.request !== '*') {
    checkOperation(fault.request ?? '', document.valueRange([...at, 'request']), scope);
  }
  if (fault.after !== undefined) {
    checkOperation(fault.after, document.valueRange([...at, 'after']), scope);
  }
}

function checkOperation(name: string, range: Range, { findings }: Scope): void {
  if (Object.hasOwn(operations, name)) return;
  const hint = () => formatSuggestion(name, Object.keys(operations));
  findings.error('RL802', range, `there is no operation "${name}"`, hint);
}

/** Checks names that only the pipeline defines: parameters, nodes and schedules. */
async function checkAgainstPipeline(
  parsed: TestFile,
  scope: Scope & TestFileOptions & { pipeline: string },
): Promise<void> {
  const { document, findings, pipeline, ...options } = scope;
  const range = document.valueRange(['pipeline']);
  if (!existsSync(pipeline)) {
    const hint = parsed.pipeline === undefined ? 'Name it: `pipeline: FILE`.' : undefined;
    findings.error('RL805', range, `there is no pipeline ${pipeline}`, hint);
    return;
  }
  const compiled = await compileFile(pipeline, {
    ...options,
    parameters: null,
    opensNothing: true,
  });
  // An invalid pipeline may be what a test expects; the tests themselves report it.
  if (compiled.pipeline === null) return;
  const declared = Object.keys(compiled.pipeline.parameters);
  const nodes = compiled.pipeline.nodes.map(({ id }) => id);
  const checkGiven = (given: object, path: Path) => {
    for (const one of Object.keys(given)) {
      if (declared.includes(one)) continue;
      const text = `the pipeline has no parameter "${one}"`;
      findings.error('RL802', document.keyRange([...path, one]), text, () =>
        formatSuggestion(one, declared),
      );
    }
  };
  checkGiven(parsed.parameters, ['parameters']);
  const checkNode = (node: string | undefined, path: Path) => {
    if (node === undefined || nodes.includes(node)) return;
    const text = `the pipeline has no node "${node}"`;
    findings.error('RL802', document.valueRange(path), text, () => formatSuggestion(node, nodes));
  };
  for (const [path, { parameters, expect, faults }] of runsOf(parsed)) {
    checkGiven(parameters, [...path, 'parameters']);
    for (const [index, { at }] of faults.entries()) checkNode(at, [...path, 'faults', index, 'at']);
    for (const [index, { node }] of (expect.failures ?? []).entries()) {
      checkNode(node, [...path, 'expect', 'failures', index, 'node']);
    }
    if (expect.starts !== undefined && compiled.schedules.length === 0) {
      const at = document.keyRange([...path, 'expect', 'starts']);
      findings.error('RL802', at, 'the pipeline has no schedule');
    }
  }
}
