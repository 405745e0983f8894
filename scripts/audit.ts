// `npm run audit`: what the registry knows against the packages that are shipped. Their licences are held by a test.
import { execFile } from 'node:child_process';
import { verdictOf } from './audit/verdict.ts';

const args = ['audit', '--omit=dev', '--json'];
const printed = await new Promise<string>((resolve) => {
  // Its exit code says less than its words.
  execFile('npm', args, { maxBuffer: 64 * 1024 ** 2 }, (_error, stdout) => resolve(stdout));
});
const { exit, lines } = verdictOf(printed);
for (const line of lines) console.log(line);
process.exitCode = exit;
