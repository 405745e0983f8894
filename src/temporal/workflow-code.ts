// Where the code of the workflows lies: beside this file's own tree, as sources or as built.
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `bundleWorkflowCode` takes. */
export function workflowCode(): { workflowsPath: string; workflowInterceptorModules: string[] } {
  return { workflowsPath: fileOf('index'), workflowInterceptorModules: [fileOf('interceptors')] };
}

function fileOf(name: string): string {
  const extension = extname(new URL(import.meta.url).pathname);
  return fileURLToPath(new URL(`../../workflows/${name}${extension}`, import.meta.url));
}
