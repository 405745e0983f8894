// Locates the workflow code, as sources or as compiled files.
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Finds the paths for the SDK's `bundleWorkflowCode`. */
export function findWorkflowCode(): {
  workflowsPath: string;
  workflowInterceptorModules: string[];
  failureConverterPath: string;
} {
  return {
    workflowsPath: fileOf('index'),
    workflowInterceptorModules: [fileOf('interceptors'), fileOf('encoded-failures')],
    failureConverterPath: fileOf('encoded-failures'),
  };
}

/** Reads the text of the bundle that was built. Returns null when running from sources. */
export function readBuiltBundle(): string | null {
  const path = fileURLToPath(new URL('../../workflow-bundle.js', import.meta.url));
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

function fileOf(name: string): string {
  const extension = extname(new URL(import.meta.url).pathname);
  return fileURLToPath(new URL(`../../workflows/${name}${extension}`, import.meta.url));
}
