// Converts the version of a worker into options of the SDK.
import type { WorkerOptions } from '@temporalio/worker';
import { versionedFlag } from '../../plan/contract/versioning.ts';
import type { WorkerVersion } from './worker-version.ts';

/** Returns the SDK's options for a version. @param version undefined if the worker is unversioned */
export function toVersionedOptions(
  version: WorkerVersion | undefined,
): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  const { deployment, buildId } = version;
  return {
    workerDeploymentOptions: {
      version: { deploymentName: deployment, buildId },
      useWorkerVersioning: true,
      // This value is only a fallback, because every workflow declares its own behavior.
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** Returns workflow code with versioning behaviors. The prefix adds no line, so that the source map still matches. */
export function toVersionedCode(code: string): string {
  return `globalThis.${versionedFlag} = true; ${code}`;
}
