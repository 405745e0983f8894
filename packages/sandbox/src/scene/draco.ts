// The Draco module, which has no types: loaded only for the files that need it.
import { createRequire } from 'node:module';

/** Modules of WebAssembly, handed to glTF-Transform as they are. */
export type DracoModules = {
  createDecoderModule(): Promise<object>;
  createEncoderModule(): Promise<object>;
};

export function loadDraco(): DracoModules {
  const require = createRequire(import.meta.url);
  return require('draco3dgltf') as DracoModules;
}
