// Lists the deployments of the namespace with the versions of their workers.
import { deploymentNames, readDeployment } from '../../temporal/deployments/deployment.ts';
import { type DeploymentView, readVersionViews } from '../../temporal/deployments/version-views.ts';
import type { App } from '../app.ts';
import { withTemporal } from '../temporal-client.ts';

export function listDeployments(
  app: App,
): Promise<{ schema: 'renderline/deployments/v1'; deployments: DeploymentView[] }> {
  return withTemporal(app, async ({ client }) => {
    const deployments: DeploymentView[] = [];
    for (const name of await deploymentNames(client)) {
      const deployment = await readDeployment(client, name);
      if (deployment !== null) deployments.push(await readVersionViews(client, deployment));
    }
    return { schema: 'renderline/deployments/v1', deployments };
  });
}
