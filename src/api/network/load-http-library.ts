// Loads undici at the first request, because loading it takes as long as loading half of the program.
import { createRequire } from 'node:module';
import type * as undici from 'undici';

const load = createRequire(import.meta.url);
let library: typeof undici | undefined;

export function loadHttpLibrary(): typeof undici {
  library ??= load('undici') as typeof undici;
  return library;
}
