// The version of a worker as the SDK takes it.
import type { WorkerOptions } from '@temporalio/worker';
import { versionedMark } from '../../plan/versioning.ts';
import type { WorkerVersion } from './worker-version.ts';

/** @param version undefined: the worker is not versioned */
export function versionedOptions(
  version: WorkerVersion | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  const { deployment, buildId } = version;
  return {
    workerDeploymentOptions: {
      version: { deploymentName: deployment, buildId },
      useWorkerVersioning: true,
      // Every workflow declares its own.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** Workflow code that tells its behaviors. Its lines keep their numbers, for the map to its sources. */
export function versionedCode(code: string): string {
  return `globalThis.${versionedMark} = true; ${code}`;
}
