// The GitHub Action with hostile names and output: its log is read like GitHub's runner does, its summary rendered like
// GitHub does. Foreign text must neither run commands nor add headings or links.
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../cli/_folder.ts';

const orders = [
  '::set-output name=token::stolen',
  '::add-mask::e',
  '::stop-commands::pause',
  '::error file=a.yaml,line=1::a lie',
  '  ::save-state name=a::b',
  'text ##[add-path]/tmp/evil',
  '##[command]rm -rf /',
  'carriage\r::add-path::/tmp/evil',
].join('\n');
const uglyFile =
  'a`b <img src=x onerror=alert(1)> [click](https://evil.example) @admin #1 ::error::x.yaml';

/** Runs the action with a fake renderline that prints this output. */
function play(answers: { validate: object; plan: string }, files: string) {
  const folder = folderWith({ summary: '' });
  const npx = join(folder, 'npx');
  const said = JSON.stringify({ validate: JSON.stringify(answers.validate), plan: answers.plan });
  writeFileSync(
    npx,
    `#!${process.execPath}\nconst said = ${said};\nprocess.stdout.write(said[process.argv.find((word) => word in said)] ?? '');\n`,
  );
  chmodSync(npx, 0o755);
  const summary = join(folder, 'summary');
  const env = {
    PATH: `${folder}:${process.env['PATH']}`,
    GITHUB_STEP_SUMMARY: summary,
    INPUT_FILES: files,
    INPUT_PLAN: 'true',
  };
  const ran = spawnSync(process.execPath, [join(process.cwd(), 'action/main.mjs')], {
    cwd: folder,
    env,
    encoding: 'utf8',
  });
  return { ...ran, summary: readFileSync(summary, 'utf8') };
}

/** The commands that GitHub's runner would run: `::x::` at the start of a line, `##[x]` anywhere, unless stopped. */
function obeyed(log: string): string[] {
  let stopped: string | null = null;
  return log.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, name = '', value = ''] =
      /^\s*::([^:\s]+)(?: [^:]*)?::(.*)$/.exec(line) ??
      /##\[([^\]\s]+)[^\]]*\](.*)$/.exec(line) ??
      [];
    if (name === '') return [];
    if (stopped !== null) {
      if (name === stopped) stopped = null;
      return [];
    }
    if (name === 'stop-commands') stopped = value;
    return name === 'stop-commands' ? [] : [line];
  });
}

const problem = {
  severity: 'warning',
  file: 'bad\n::add-mask::x,line=9:.yaml',
  line: 3,
  col: 5,
  code: 'RL301::x',
  message: 'no\n::error::type\r::add-path::/tmp',
};
const valid = (file: string) => ({ files: [{ file, valid: true, problems: [problem] }] });

describe('the log of the action', () => {
  test('the log contains no commands that come from a name, a problem or output', () => {
    const { stdout, status } = play({ validate: valid(orders), plan: orders }, 'good.yaml');
    expect(status, stdout).toBe(0);
    expect(obeyed(stdout)).toEqual([
      '::warning file=bad%0A%3A%3Aadd-mask%3A%3Ax%2Cline=9%3A.yaml,line=3,col=5,title=RL301%3A%3Ax::no%0A::error::type%0D::add-path::/tmp',
    ]);
    // The texts are still shown.
    expect(stdout).toContain('::set-output name=token::stolen');
  });

  test('the log contains no commands that come from a file name', () => {
    const { stdout } = play({ validate: { files: [] }, plan: '' }, '::add-mask::a\n##[add-path]b');
    expect(obeyed(stdout)).toEqual([]);
  });
});

describe('the summary of the action', () => {
  test('the summary contains only its own headings, and a name in a heading stays plain text', () => {
    const answer = `${'`'.repeat(5)}\n# A lie\n<script>alert(1)</script>\n![x](https://evil.example/pixel)`;
    const { summary } = play(
      { validate: valid(`one\n### ✅ a lie\n${'`'.repeat(4)}`), plan: answer },
      uglyFile,
    );
    const html = rendered(summary);
    expect(html.match(/<h\d>.*<\/h\d>/g)).toEqual([
      '<h2>Renderline</h2>',
      '<h3>✅ validate</h3>',
      `<h3>✅ plan <code>${escapedHtml(uglyFile)}</code></h3>`,
    ]);
    expect(html).not.toMatch(/<(?:script|img|a)\b/);
  });
});

function escapedHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Removes code spans and fences of Markdown. The rest remains HTML. */
function rendered(page: string): string {
  let fence = '';
  return page
    .split('\n')
    .map((line) => {
      const [ticks = ''] = /^`{3,}/.exec(line) ?? [];
      if (fence !== '') {
        if (ticks.length >= fence.length && line.trim() === ticks) fence = '';
        return escapedHtml(line);
      }
      if (ticks !== '') {
        fence = ticks;
        return '';
      }
      const [, level = '', title = ''] = /^(#{1,6}) (.*)$/.exec(line) ?? [];
      const text = (level === '' ? line : title).replace(
        /(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g,
        (_whole, _ticks, code: string) =>
          `<code>${escapedHtml(code.replace(/^ (.*) $/, '$1'))}</code>`,
      );
      return level === '' ? text : `<h${level.length}>${text}</h${level.length}>`;
    })
    .join('\n');
}
