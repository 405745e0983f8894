// Starts the activity that writes the manifests of a run, before notices report the end of the run.
import type { Discovery, RunInput, RunWarning } from '../../src/plan/contract/contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { WorkflowFailureCode } from '../../src/plan/run/workflow-failure-codes.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import { assetFailureOf, findRunCause } from '../failures.ts';

/** Timeouts of the activity. A store that does not respond is retried for about half an hour. */
const manifestTimeouts = {
  startToCloseTimeout: '2h',
  scheduleToCloseTimeout: '6h',
  retry: {
    initialInterval: '1s',
    backoffCoefficient: 2,
    maximumInterval: '2m',
    maximumAttempts: 20,
  },
} as const;

interface ManifestOutcome {
  /** Why the manifests could not be written. Null if they were. */
  cause: RunCause | null;
  warnings: readonly RunWarning[];
}

/** Writes the manifests of a run. Does nothing if the plan has none, or if the run has not found its assets. */
export async function writeManifests(
  { plan, run }: RunInput,
  context: RunContext,
  runDiscovery: Discovery | null,
): Promise<ManifestOutcome> {
  const { manifests, discovery } = plan;
  if (manifests === undefined || runDiscovery === null) return { cause: null, warnings: [] };
  const { rows, grid } = discovery;
  const tables = { ...(rows ? { rows } : {}), ...(grid ? { grid } : {}) };
  const write = proxyEngineActivity('writeManifests', context, manifestTimeouts);
  try {
    const warnings = await write({ context, discovery: tables, manifests });
    return { cause: null, warnings: warnings ?? [] };
  } catch (error) {
    const paths = manifests
      .flatMap(({ path, zips = [] }) => [path, ...zips.map((zip) => zip.path)])
      .join(', ');
    const cause: RunCause = {
      code: 'MANIFEST_UNWRITTEN' satisfies WorkflowFailureCode,
      message: `${paths} could not be written, so the manifest does not list what the run delivered: ${reasonOf(error)}`,
      fix: `Fix the cause in the message, then run the pipeline again: nothing is delivered twice, and the manifest lists all files. \`renderline show ${run}\` lists what this run did.`,
      kind: 'never',
    };
    return { cause, warnings: [] };
  }
}

/** Lists warnings for the run's result. A manifest cause becomes a warning unless it stopped the run. */
export function listManifestWarnings(
  { plan }: RunInput,
  { cause, warnings }: ManifestOutcome,
  stopCause: RunCause | null,
): readonly RunWarning[] {
  if (cause === null || cause === stopCause) return warnings;
  const message = `${cause.message} ${cause.fix}`;
  return [...warnings, { key: plan.manifests?.[0]?.node ?? '', message }];
}

function reasonOf(error: unknown): string {
  const cause = findRunCause(error);
  if (cause) return `${cause.code}: ${cause.message}; ${cause.fix}`;
  const { code, message } = assetFailureOf(error);
  return `${code}: ${message}`;
}
