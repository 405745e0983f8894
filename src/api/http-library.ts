// undici takes as long to load as half of the program, so it is loaded with the first request.
import { createRequire } from 'node:module';
import type * as undici from 'undici';

const load = createRequire(import.meta.url);
let loaded: typeof undici | undefined;

/** The library that makes all requests of ours. */
export function httpLibrary(): typeof undici {
  loaded ??= load('undici') as typeof undici;
  return loaded;
}
