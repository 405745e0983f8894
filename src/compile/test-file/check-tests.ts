// Reads and checks a test file. As for pipelines, all problems are reported together with their positions.
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { operations } from '../../api/operations/index.ts';
import { knownFailures } from '../../features/failures.ts';
import { formatSuggestion } from '../../language/format-suggestion.ts';
import { problemCodes } from '../../language/problem-codes.ts';
import { type CompileOptions, compileFile } from '../compile.ts';
import { toFields } from '../node-draft.ts';
import type { LocatedDocument, Path } from '../yaml/document.ts';
import { loadText } from '../yaml/load.ts';
import type { Problem } from '../yaml/problem.ts';
import { readPipelineFile } from '../yaml/read-file.ts';
import { parseShape } from '../yaml/shape.ts';
import type { Range } from '../yaml/source-text.ts';
import { type Fault, type FaultSubject, faultFields, TestFile } from './test-file.ts';

export interface CheckedTests {
  /** Path of the file, as the person wrote it. */
  file: string;
  /** Folder of the file, absolute. */
  folder: string;
  /** Absolute path of the pipeline. Empty if the file cannot be read or parsed. */
  pipeline: string;
  /** Absolute paths of the files that the tests use: the pipeline, its shared parts, and files that they copy. */
  inputs: string[];
  /** Channels of `renderline.yaml`, for the pipeline. */
  channels: Readonly<Record<string, unknown>>;
  tests: TestFile | null;
  document: LocatedDocument | null;
  problems: Problem[];
  source: string | null;
}

type TestFileOptions = Pick<CompileOptions, 'cwd' | 'environment' | 'channels'>;

interface Scope extends Pick<CheckedTests, 'inputs'> {
  document: LocatedDocument;
  folder: string;
}

/** Reads a test file. Problems are in the result, not thrown. */
export async function checkTestFile(
  file: string,
  { cwd, environment, channels = {} }: TestFileOptions,
): Promise<CheckedTests> {
  const absolute = resolve(cwd, file);
  const folder = dirname(absolute);
  const inputs: string[] = [];
  const nothing = { file, folder, pipeline: '', inputs, channels, tests: null, document: null };
  const fileText = await readPipelineFile(absolute, file);
  if (!fileText.ok) return { ...nothing, problems: [fileText.problem], source: null };
  const { document, findings } = loadText(fileText.text, file, 'tests');
  const { text } = findings.source;
  if (document === null) return { ...nothing, problems: findings.all(), source: text };
  if (toFields(document.value) === null) {
    document.error('RL203', [], 'a test file must be a mapping with `tests:`');
    return { ...nothing, problems: findings.all(), source: text };
  }
  const scope = { document, folder, inputs };
  const testFile = parseShape(TestFile, document.value, {
    document,
    basePath: [],
    documentName: 'a test file',
    pendingParameter: () => null,
  });
  const pipeline = pipelineOf(testFile, absolute);
  inputs.push(pipeline);
  if (testFile !== null) {
    checkNames(testFile, scope);
    for (const [path, run] of runsOf(testFile)) checkRun(path, run, scope);
    await checkAgainstPipeline(testFile, { ...scope, pipeline, cwd, environment, channels });
  }
  const isValid = findings.errorCount === 0;
  const result = { document, problems: findings.all(), source: text };
  return { ...nothing, ...result, pipeline, tests: isValid ? testFile : null };
}

function pipelineOf(testFile: TestFile | null, absolute: string): string {
  if (testFile?.pipeline !== undefined) return resolve(dirname(absolute), testFile.pipeline);
  const pipelineName = basename(absolute).replace(/\.test\.ya?ml$/, '');
  return join(dirname(absolute), `${pipelineName}.yaml`);
}

type Run = Pick<TestFile['tests'][number], 'files' | 'faults' | 'expect' | 'parameters'> & {
  remove?: readonly string[];
};

function* runsOf({ tests }: TestFile): Generator<readonly [Path, Run]> {
  for (const [index, test] of tests.entries()) {
    yield [['tests', index], test];
    for (const [next, run] of test.again.entries()) yield [['tests', index, 'again', next], run];
  }
}

function checkNames({ tests }: TestFile, { document }: Scope): void {
  const seenNames = new Set<string>();
  for (const [index, { name }] of tests.entries()) {
    if (seenNames.has(name)) {
      document.error(
        'RL801',
        ['tests', index, 'name'],
        `two tests are named ${JSON.stringify(name)}`,
      );
    }
    seenNames.add(name);
  }
}

function checkRun(runPath: Path, { files, remove = [], faults, expect }: Run, scope: Scope): void {
  const { document, folder, inputs } = scope;
  const checkInside = (path: string, at: Path) => {
    if (!isOutsideFolder(path)) return;
    const message = `"${path}" is outside the test's folder`;
    document.error('RL803', at, message, 'Use a path in the folder of the test.');
  };
  for (const [index, path] of remove.entries()) checkInside(path, [...runPath, 'remove', index]);
  for (const [index, file] of files.entries()) {
    const filePath = [...runPath, 'files', index];
    const generatedFile = typeof file === 'string' ? { path: file } : file;
    const { path, copy, count } = generatedFile;
    const pathPath = typeof file === 'string' ? filePath : [...filePath, 'path'];
    checkInside(path, pathPath);
    if (copy !== undefined) inputs.push(resolve(folder, copy));
    if (copy !== undefined && !existsSync(resolve(folder, copy))) {
      const text = `the file ${resolve(folder, copy)} does not exist`;
      document.error('RL803', [...filePath, 'copy'], text);
    }
    if (count !== undefined && !path.includes('{n}')) {
      document.error('RL803', pathPath, `with \`count\`, "${path}" must contain \`{n}\``);
    }
    if (!isCreatableFile(generatedFile)) {
      const text = `a file such as "${path}" cannot be generated`;
      document.error('RL803', pathPath, text, 'Set the `text` of the file, or `copy` a file.');
    }
  }
  for (const [index, fault] of faults.entries())
    checkFault([...runPath, 'faults', index], fault, scope);
  const { requests = {}, failures = [], failureCodes = {} } = expect;
  const expectPath = [...runPath, 'expect'];
  for (const name of Object.keys(requests)) {
    if (name === 'total') continue;
    checkOperation(name, document.keyRange([...expectPath, 'requests', name]), document);
  }
  const codes = [
    ...failures.map(({ code }, index) => ({ code, at: ['failures', index, 'code'] })),
    ...Object.keys(failureCodes).map((code) => ({ code, at: ['failureCodes', code] })),
    { code: expect.cause, at: ['cause'] },
  ];
  // Failure codes of the platform are not listed anywhere, so an unknown code is only a warning.
  const knownCodes = [...knownFailures.map(({ code }) => code), ...Object.keys(problemCodes)];
  for (const { code, at } of codes) {
    if (code === undefined || knownCodes.includes(code)) continue;
    const path = [...expectPath, ...at];
    const range = at[0] === 'failureCodes' ? document.keyRange(path) : document.valueRange(path);
    const hint = formatSuggestion(code, knownCodes);
    const text = `the failure code "${code}" does not exist in this version`;
    document.findings.warning('RL802', range, text, hint?.startsWith('Did') ? hint : undefined);
  }
}

function isOutsideFolder(path: string): boolean {
  return path.startsWith('/') || path.split(/[/\\]/).includes('..');
}

const creatableFiles = /\.(?:glb|png|jpe?g)$/i;

function isCreatableFile({
  path,
  text,
  copy,
  broken,
}: Exclude<Run['files'][number], string>): boolean {
  return (
    text !== undefined || copy !== undefined || broken !== undefined || creatableFiles.test(path)
  );
}

function checkFault(faultPath: Path, fault: Fault, scope: Scope): void {
  const { document } = scope;
  const allSubjects = Object.keys(faultFields) as FaultSubject[];
  const subjects = allSubjects.filter((candidate) => fault[candidate] !== undefined);
  const [subject] = subjects;
  if (subject === undefined || subjects.length > 1) {
    const problem =
      subject === undefined ? 'has no subject' : `has several subjects: ${subjects.join(' and ')}`;
    document.error(
      'RL804',
      faultPath,
      `a fault ${problem}`,
      `Use one of ${allSubjects.join(', ')}.`,
    );
    return;
  }
  const effects = new Set(Object.values(faultFields).flat());
  const allowedEffects = faultFields[subject];
  const presentEffects = [...effects].filter((effect) => fault[effect] !== undefined);
  for (const effect of presentEffects.filter((candidate) => !allowedEffects.includes(candidate))) {
    const text = `\`${effect}\` does not apply to a ${subject}`;
    document.errorAtKey('RL804', [...faultPath, effect], text, `Use ${allowedEffects.join(', ')}.`);
  }
  if (presentEffects.length === 0) {
    const text = `the fault does not say what happens to the ${subject}`;
    document.error('RL804', faultPath, text, `Add one of ${allowedEffects.join(', ')}.`);
  }
  if (subject === 'request' && fault.request !== '*') {
    checkOperation(fault.request ?? '', document.valueRange([...faultPath, 'request']), document);
  }
  if (fault.after !== undefined) {
    checkOperation(fault.after, document.valueRange([...faultPath, 'after']), document);
  }
}

function checkOperation(name: string, range: Range, { findings }: LocatedDocument): void {
  if (Object.hasOwn(operations, name)) return;
  const hint = () => formatSuggestion(name, Object.keys(operations));
  findings.error('RL802', range, `the operation "${name}" does not exist`, hint);
}

/** Checks names that are defined only in the pipeline: parameters, nodes and schedules. */
async function checkAgainstPipeline(
  testFile: TestFile,
  scope: Scope & TestFileOptions & { pipeline: string },
): Promise<void> {
  const { document, pipeline, inputs, ...options } = scope;
  if (!existsSync(pipeline)) {
    const hint =
      testFile.pipeline === undefined
        ? 'Set the path of the pipeline: `pipeline: FILE`.'
        : undefined;
    document.error('RL805', ['pipeline'], `the pipeline ${pipeline} does not exist`, hint);
    return;
  }
  const compiling = { ...options, parameters: null, opensNothing: true } as const;
  const compiled = await compileFile(pipeline, compiling);
  inputs.push(...compiled.shared.keys());
  // A test may expect an invalid pipeline, whose problems are reported by the tests themselves.
  if (compiled.pipeline === null) return;
  const declaredNames = Object.keys(compiled.pipeline.parameters);
  const nodes = compiled.pipeline.nodes.map(({ id }) => id);
  const checkGiven = (values: object, path: Path) => {
    for (const name of Object.keys(values)) {
      if (declaredNames.includes(name)) continue;
      const text = `the pipeline has no parameter "${name}"`;
      document.errorAtKey('RL802', [...path, name], text, () =>
        formatSuggestion(name, declaredNames),
      );
    }
  };
  checkGiven(testFile.parameters, ['parameters']);
  const checkNode = (node: string | undefined, path: Path) => {
    if (node === undefined || nodes.includes(node)) return;
    const text = `the pipeline has no node "${node}"`;
    document.error('RL802', path, text, () => formatSuggestion(node, nodes));
  };
  for (const [path, { parameters, expect, faults }] of runsOf(testFile)) {
    checkGiven(parameters, [...path, 'parameters']);
    for (const [index, { at }] of faults.entries()) checkNode(at, [...path, 'faults', index, 'at']);
    for (const [index, { node }] of (expect.failures ?? []).entries()) {
      checkNode(node, [...path, 'expect', 'failures', index, 'node']);
    }
    if (expect.starts !== undefined && compiled.schedules.length === 0) {
      document.errorAtKey('RL802', [...path, 'expect', 'starts'], 'the pipeline has no schedule');
    }
  }
}
