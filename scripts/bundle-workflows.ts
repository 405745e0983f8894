// Bundles the workflows once, at build time, so that a worker starts without a compiler.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { findWorkflowCode } from '../src/temporal/workflow-code.ts';

const { code } = await bundleWorkflowCode({
  ...findWorkflowCode(),
  logger: new DefaultLogger('WARN'),
});
await writeFile(fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)), code);
