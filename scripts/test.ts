// `npm test`: runs all tests that a change may break, except those that take minutes (`npm run test:all`). Passes
// arguments after `--` to Vitest.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** Paths on which the tests of the sandbox depend: the sandbox, and the program's folders that it imports. */
const ofSandbox = [
  'packages/sandbox',
  ...['api', 'glb', 'language', 'pantone', 'pictures', 'sandbox', 'textures'].map(
    (folder) => `src/${folder}`,
  ),
  'package-lock.json',
];

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** True if one of the paths has changed since the last push, or if there is no upstream branch or no Git. */
function hasChanged(paths: readonly string[]): boolean {
  try {
    const pushed = git('merge-base', 'HEAD', '@{upstream}');
    const changedFiles = git('diff', '--name-only', pushed, '--', ...paths);
    const addedFiles = git('ls-files', '--others', '--exclude-standard', '--', ...paths);
    return `${changedFiles}${addedFiles}` !== '';
  } catch {
    return true;
  }
}

const projects = ['unit', 'platform', 'system'];
if (hasChanged(ofSandbox)) projects.push('sandbox');
else
  console.log(
    'Skipped the tests of the sandbox: nothing that they depend on has changed since the last push.',
  );

const projectArgs = projects.flatMap((project) => ['--project', project]);
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...projectArgs, ...process.argv.slice(2)];
const run = spawn(process.execPath, vitest, { stdio: 'inherit' });
const [code] = (await once(run, 'exit')) as [number | null];
process.exitCode = code ?? 1;
