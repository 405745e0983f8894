// The GitHub Action: commands of Renderline, as annotations, a summary of the job, and a comment. No dependencies, no build:
// GitHub runs it from a checkout.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { comment } from './comment.mjs';
import { codeLinks, docsRoot, published } from './docs.mjs';
import { codeSpan, command, fenced, log, oneLine } from './text.mjs';

const { env } = process;
const lines = (name) =>
  (env[`INPUT_${name}`] ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
const isSet = (name) => env[`INPUT_${name}`] === 'true';
const version = env['INPUT_VERSION'] ?? '';
const longest = 20_000;

/** Runs `renderline WORDS`. */
function renderline(...words) {
  const program = version === '' ? ['--no'] : ['--yes', `--package=renderline@${version}`];
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 };
  const own = { ...env, NO_COLOR: '1', INPUT_TOKEN: '' };
  const { status, stdout, stderr } = spawnSync('npx', [...program, 'renderline', ...words], {
    ...options,
    env: own,
  });
  return { isOk: status === 0, stdout, stderr };
}

/** Of the program that runs; asked for once something has to be linked. */
function programVersion() {
  const [version = ''] = /\d+\.\d+\.\d+\S*/.exec(renderline('--version').stdout) ?? [];
  return version;
}

let root;
function linkRoot() {
  root ??= { of: docsRoot(env, env['RENDERLINE_ACTION_REPOSITORY'] ? programVersion() : '') };
  return root.of;
}

/** Problems at their lines, in the view of the changed files, and as text. */
function annotated(checked) {
  // Without an answer it has said on stderr why.
  const answer = checked.stdout.startsWith('{') ? JSON.parse(checked.stdout) : {};
  const told = [];
  const pages = [];
  for (const { file: of, valid, problems } of answer.files ?? []) {
    told.push(`${valid ? 'valid' : 'invalid'}  ${oneLine(of)}`);
    for (const { severity, file, line, col, code, message, hint, docs } of problems) {
      if (severity === 'note') continue;
      const page = /^docs\/errors\.md#[a-z0-9_]+$/.test(docs) && linkRoot();
      const link = page ? ` ${page}/${docs}` : '';
      const text = `${hint ? `${message}. ${hint}` : message}${link}`;
      if (link) pages.push(docs);
      const level = severity === 'error' ? 'error' : 'warning';
      command(level, { file, line, col, title: code }, text);
      told.push(oneLine(`${file}:${line}:${col} ${level} ${code} ${text}`));
    }
  }
  return told.length === 0 ? checked : { ...checked, stdout: told.join('\n'), stderr: '', pages };
}

const files = lines('FILES');
const parameters = lines('PARAMETERS').flatMap((pair) => ['--param', pair]);
const sections = [];
let isOk = files.length > 0;
const tell = (what, file, { stdout, stderr, pages = [], ...ended }) => {
  isOk &&= ended.isOk;
  const said = `${stdout}${stderr}`.trim();
  const at = pages.length > 0 || said.includes('file://') ? linkRoot() : null;
  const linked = published(said, at);
  const { text } = linked;
  const links = codeLinks([...new Set([...pages, ...linked.pages])], at);
  const title = `${what}${file && ` ${codeSpan(file)}`}`;
  sections.push(`### ${ended.isOk ? '✅' : '❌'} ${title}\n\n${fenced(text, longest)}${links}`);
  log(`${what} ${oneLine(file)}\n${text}\n`);
};

if (files.length === 0) sections.push('### ❌ `files` names no pipeline');
else {
  tell('validate', '', annotated(renderline('validate', '--json', '--', ...files)));
  for (const file of isOk && isSet('PLAN') ? files : []) {
    tell('plan', file, renderline('plan', ...parameters, '--', file));
  }
  if (isOk && isSet('TEST')) tell('test', '', renderline('test', '--', ...files));
}

const page = `## Renderline\n\n${sections.join('\n\n')}\n`;
if (env['GITHUB_STEP_SUMMARY']) appendFileSync(env['GITHUB_STEP_SUMMARY'], page);
if (isSet('COMMENT') && env['GITHUB_EVENT_PATH']) {
  const { pull_request: pull } = JSON.parse(readFileSync(env['GITHUB_EVENT_PATH'], 'utf8'));
  if (pull) await comment(page, pull.number, env);
}
process.exitCode = isOk ? 0 : 1;
