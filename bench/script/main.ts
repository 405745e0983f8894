// Entry point of the script. The process stays alive after the work, so that its CPU time can be read.
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { renderFolder } from './script.ts';

const Line = z.object({ folder: z.string(), out: z.string(), template: z.string() });
const { BASE_URL: baseUrl = '', API_KEY: apiKey = '' } = process.env;

process.stdout.write('script is ready\n');
for await (const line of createInterface(process.stdin)) {
  const { folder, out, template } = Line.parse(JSON.parse(line));
  const startedAtMs = Date.now();
  void renderFolder({ baseUrl, apiKey }, folder, out, template).then((failed) => {
    process.stdout.write(`done ${out} ${startedAtMs} ${Date.now()} failed ${failed}\n`);
  });
}
