// Where the code of the workflows lies: beside this file's own tree, as sources or as built.
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `bundleWorkflowCode` takes. */
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

function fileOf(name: string): string {
  const extension = extname(new URL(import.meta.url).pathname);
  return fileURLToPath(new URL(`../../workflows/${name}${extension}`, import.meta.url));
}
