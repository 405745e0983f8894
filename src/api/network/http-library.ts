// Loads undici with the first request, because loading it takes as long as half of the program.
import { createRequire } from 'node:module';
import type * as undici from 'undici';

const load = createRequire(import.meta.url);
let loaded: typeof undici | undefined;

/** The library that makes all our HTTP requests. */
export function httpLibrary(): typeof undici {
  loaded ??= load('undici') as typeof undici;
  return loaded;
}
