// Bundles the workflows once, at build time, so that a worker starts without a compiler.
import { chmod, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { workflowCode } from '../src/temporal/workflow-code.ts';

const { code } = await bundleWorkflowCode({
  ...workflowCode(),
  logger: new DefaultLogger('WARN'),
});
await writeFile(fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)), code);
// `npx renderline` runs this file by its path; npm makes it executable only when it links it for the first time.
await chmod(fileURLToPath(new URL('../src/cli/main.js', import.meta.url)), 0o755);
