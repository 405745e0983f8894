// Checks that the names in a plan exist on the platform, before anything is created.
import type { Client } from '../../api/client.ts';
import { openConnector } from '../../connectors/index.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { createRoutedContext } from '../../engine/polling/poller-context.ts';
import { createConnectorResolver } from '../../features/discovery-source.ts';
import { withTableLines } from '../../features/grid/table-lines.ts';
import { collectLookUps, lookUpNames } from '../../features/look-up-names.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import type { Plan } from '../../plan/types.ts';
import type { Grid } from '../../store/discovery/grid/grid.ts';
import type { RunAsset } from '../../store/runs/run-assets.ts';
import type { App } from '../app.ts';
import { nameContext } from '../choices/name-context.ts';
import { withPlatform } from '../platform-client.ts';
import { explainUnlessUnauthorized } from '../renderline-error.ts';

export interface NameFinding extends RunCause {
  node: string;
}

/**
 * Looks up the names that nodes use, and returns those that do not exist on the platform. Returns null if no node uses
 * a name, if the platform is not configured, or if a request fails, because a plan does not need the platform.
 * @throws ApiError if the platform rejects the key
 */
export async function checkPlatformNames(
  app: App,
  plan: Plan,
  { assets, colorways }: { assets: readonly RunAsset[]; colorways: Grid | null },
): Promise<NameFinding[] | null> {
  const lookUps = collectLookUps(plan.discovery, assets);
  if (lookUps.length === 0 || !(await app.isPlatformSet())) return null;
  const findings: NameFinding[] = [];
  try {
    const lookUpAll = async (client: Client) => {
      const names = await nameContext(app);
      const context = {
        ...names,
        pollerContext: createRoutedContext(client, names.pollerContext),
        getConnector: createConnectorResolver(plan, openConnector),
        promisedMaterials: new Set<string>(),
      };
      for (const lookUp of lookUps) {
        try {
          await withTableLines(colorways, () => lookUpNames([lookUp], context));
        } catch (error) {
          if (!(error instanceof RunCauseError)) throw error;
          findings.push({ node: lookUp.node, ...error.runCause });
        }
      }
    };
    await withPlatform(app, lookUpAll, plan.operations);
    return findings;
  } catch (error) {
    app.note(`Names were not checked: ${explainUnlessUnauthorized(error).message}`);
    return null;
  }
}
