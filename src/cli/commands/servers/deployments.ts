// `renderline deployments`: lists worker versions and controls which version receives new runs.
import type { Command } from '@commander-js/extra-typings';
import {
  type RoutingChange,
  rampBuild,
  rollBackDeployment,
  setCurrentBuild,
} from '../../../app/deployments/change-routing.ts';
import { listDeployments } from '../../../app/deployments/find-deployment.ts';
import { moveRunsOfBuild } from '../../../app/deployments/move-runs.ts';
import { usageError } from '../../../app/renderline-error.ts';
import {
  formatDeployments,
  formatMovedRuns,
  formatRoutingChange,
} from '../../deployments/format.ts';
import { reword, sharedOptions } from '../../options.ts';
import { parsePercent } from '../../params.ts';
import type { Session } from '../../session.ts';

const buildArgument = [
  '[build]',
  'id of the build (default: RENDERLINE_BUILD_ID, or the build of this program)',
] as const;

const deploymentOption = [
  '--deployment <name>',
  'name of the deployment (default: RENDERLINE_DEPLOYMENT, or the only deployment)',
] as const;

export function declareDeployments(command: Command, session: Session): void {
  const { output } = session;
  const print = (change: RoutingChange) => {
    output.result(change, () => formatRoutingChange(change));
  };
  command.action(
    session.action(async () => {
      const result = await listDeployments(session);
      output.result(result, () => formatDeployments(result.deployments, output.paint));
    }),
  );
  withChangeOptions(command.command('set-current'))
    .description('route new runs to a build; open runs stay on their build')
    .argument(...buildArgument)
    .option('--unversioned', 'route new runs to unversioned workers')
    .action(
      session.action(async (build, { unversioned, ...options }) => {
        if (unversioned && build !== undefined) {
          const message = `--unversioned cannot be combined with the build ${build}.`;
          throw usageError(message, 'Specify either a build or --unversioned.');
        }
        return print(await setCurrentBuild(session, unversioned ? null : build, options));
      }),
    );
  withChangeOptions(command.command('ramp'))
    .description('route a percentage of new runs to a build; 0 ends the ramp')
    .argument('<percent>', '0 to 100', parsePercent)
    .argument(...buildArgument)
    .action(
      session.action(async (percent, build, options) =>
        print(await rampBuild(session, { build, percent }, options)),
      ),
    );
  withChangeOptions(command.command('rollback'))
    .description('end a ramp, or route new runs to the previously current build')
    .action(session.action(async (options) => print(await rollBackDeployment(session, options))));
  command
    .command('move')
    .description('move open runs of a build without workers to the current build, without asking')
    .argument('<build>', 'the build that the runs are pinned to')
    .option(...deploymentOption)
    .option('--to <build>', 'pin the runs to this build (default: whichever build is current)')
    .option(...reword(sharedOptions.dryRun, 'only list the runs'))
    .option(...sharedOptions.reason)
    .action(
      session.action(async (from, { to, ...options }) => {
        const result = await moveRunsOfBuild(session, { from, to }, options);
        output.result(result, () => formatMovedRuns(result));
      }),
    );
}

function withChangeOptions(command: Command) {
  return command
    .option(...deploymentOption)
    .option(...reword(sharedOptions.dryRun, 'only show the change'))
    .option(
      '--force',
      'change the routing even if the build has no workers or does not serve a task queue',
    )
    .option(...sharedOptions.reason);
}
