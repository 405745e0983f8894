// Loads the Draco module, which has no types, only for files that need it.
import { createRequire } from 'node:module';

/** WebAssembly modules that are passed on to glTF-Transform. */
export type DracoModules = {
  createDecoderModule(): Promise<object>;
  createEncoderModule(): Promise<object>;
};

export function loadDraco(): DracoModules {
  const require = createRequire(import.meta.url);
  return require('draco3dgltf') as DracoModules;
}
