// Locates the workflow code, as sources or as compiled files.
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths for the SDK's `bundleWorkflowCode`. */
export function workflowCode(): {
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

/** The text of the bundle that was built; null when running from sources. */
export function builtBundle(): string | null {
  // The bundled program (`dist/program/cli`) lies one folder less deep than this module in `dist/src`.
  const candidates = ['../../../workflow-bundle.js', '../../workflow-bundle.js'].map((path) =>
    fileURLToPath(new URL(path, import.meta.url)),
  );
  const existing = candidates.find((candidate) => existsSync(candidate));
  return existing === undefined ? null : readFileSync(existing, 'utf8');
}

function fileOf(name: string): string {
  const extension = extname(new URL(import.meta.url).pathname);
  return fileURLToPath(new URL(`../../../workflows/${name}${extension}`, import.meta.url));
}
