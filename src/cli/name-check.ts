// Checks, before anything is created, that the names in a plan exist on the platform.
import { RequestCounter } from '../api/counter.ts';
import { RunCauseError } from '../engine/engine-errors.ts';
import { createPollerContext } from '../engine/polling/poller-context.ts';
import { collectLookUps } from '../features/grid/dimensions.ts';
import { withTableLines } from '../features/grid/table-lines.ts';
import { lookUpNames } from '../features/look-up-names.ts';
import type { RunCause } from '../plan/run/run-cause.ts';
import type { Plan } from '../plan/types.ts';
import type { Grid } from '../store/discovery/grid.ts';
import type { ManifestAsset } from '../store/runs/manifest.ts';
import { explainUnlessUnauthorized } from './cli-error.ts';
import { withPlatform } from './platform-client.ts';
import type { Session } from './session.ts';
import { escapeForTerminal } from './terminal-text.ts';

export interface NameFinding extends RunCause {
  node: string;
}

/**
 * Returns null if no node names anything, or if the platform is not configured or unreachable, since a plan does not need it.
 * @throws ApiError when the platform rejects the key.
 */
export async function checkNames(
  session: Session,
  plan: Plan,
  { assets, colorways }: { assets: readonly ManifestAsset[]; colorways: Grid | null },
): Promise<NameFinding[] | null> {
  const lookUps = collectLookUps(plan.discovery, assets);
  const { baseUrl, apiKey } = await session.config();
  if (lookUps.length === 0 || baseUrl.value === null || apiKey.value === null) return null;
  const findings: NameFinding[] = [];
  try {
    await withPlatform(
      session,
      async (client) => {
        const context = {
          pollerContext: createPollerContext(client),
          run: { run: 'plan' },
          requests: new RequestCounter(),
          signal: session.io.interrupts.forced,
        };
        for (const lookUp of lookUps) {
          try {
            await withTableLines(colorways, () => lookUpNames([lookUp], context));
          } catch (error) {
            if (!(error instanceof RunCauseError)) throw error;
            findings.push({ node: lookUp.node, ...error.runCause });
          }
        }
      },
      plan.operations,
    );
    return findings;
  } catch (error) {
    session.output.note(`Names were not looked up: ${explainUnlessUnauthorized(error).message}`);
    return null;
  }
}

/** Formats each problem with its fix. */
export function formatNameFindings(findings: readonly NameFinding[]): string[] {
  return escapeForTerminal(findings).map(
    ({ node, code, message, fix }) => `${node}: ${code}: ${message}\n  ${fix}`,
  );
}
