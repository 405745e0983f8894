// The version of a worker as the SDK takes it.
import type { WorkerOptions } from '@temporalio/worker';
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
