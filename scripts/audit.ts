// `npm run audit`: checks the shipped packages for known vulnerabilities. A test checks their licences.
import { execFile } from 'node:child_process';
import { verdictOf } from './audit/verdict.ts';

const args = ['audit', '--omit=dev', '--json'];
const printed = await new Promise<string>((resolve) => {
  // The exit code of npm audit is ignored, because the output contains more information.
  execFile('npm', args, { maxBuffer: 64 * 1024 ** 2 }, (_error, stdout) => resolve(stdout));
});
const { exit, lines } = verdictOf(printed);
for (const line of lines) console.log(line);
process.exitCode = exit;
