// `npm test`: everything that a change may break, but for what takes minutes (`npm run test:all`). Words after `--` go to Vitest.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

/** What the tests of the sandbox are about: itself, and what of the program it is made of. */
const ofSandbox = [
  'packages/sandbox',
  ...['api', 'glb', 'language', 'pantone', 'pictures', 'sandbox', 'textures'].map(
    (folder) => `src/${folder}`,
  ),
  'package-lock.json',
];

const git = (...args: string[]): string =>
  execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** Has any of these paths changed since it was last pushed? True where nobody can tell. */
function hasChanged(paths: readonly string[]): boolean {
  try {
    const pushed = git('merge-base', 'HEAD', '@{upstream}');
    const changed = git('diff', '--name-only', pushed, '--', ...paths);
    const added = git('ls-files', '--others', '--exclude-standard', '--', ...paths);
    return `${changed}${added}` !== '';
  } catch {
    return true;
  }
}

const projects = ['unit', 'platform', 'system'];
if (hasChanged(ofSandbox)) projects.push('sandbox');
else console.log('Tests of the sandbox: left out, since nothing that they are about has changed.');

const chosen = projects.flatMap((project) => ['--project', project]);
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...chosen, ...process.argv.slice(2)];
const run = spawn(process.execPath, vitest, { stdio: 'inherit' });
const [code] = (await once(run, 'exit')) as [number | null];
process.exitCode = code ?? 1;
