// `renderline deployments`: lists worker versions and controls which version gets new runs.
import { type Command, Option } from '@commander-js/extra-typings';
import { auditDeploymentAction } from '../../app/deployments/audit-action.ts';
import {
  type ChangeOptions,
  formatRoutingChange,
  type RoutingChange,
  rampBuild,
  rollBackDeployment,
  setCurrentBuild,
} from '../../app/deployments/change-routing.ts';
import { findDeployment, requireVersion } from '../../app/deployments/find-deployment.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { readVersionRequest } from '../../app/worker/worker-version.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { deploymentNames, readDeployment } from '../../temporal/deployments/deployment.ts';
import { moveRuns } from '../../temporal/deployments/move-runs.ts';
import { type DeploymentView, readVersionViews } from '../../temporal/deployments/version-views.ts';
import { formatDeployment } from '../deployments/format.ts';
import { reasonOption } from '../params.ts';
import type { Session } from '../session.ts';

const buildArgument = [
  '[build]',
  'id of the build (default: RENDERLINE_BUILD_ID, or the build of this program)',
] as const;

export function declareDeployments(command: Command, session: Session): void {
  command.action(
    session.action(() =>
      withTemporal(session, async ({ client }) => {
        const deployments: DeploymentView[] = [];
        for (const name of await deploymentNames(client)) {
          const deployment = await readDeployment(client, name);
          if (deployment !== null) deployments.push(await readVersionViews(client, deployment));
        }
        session.output.result({ schema: 'renderline/deployments/v1', deployments }, () =>
          deployments.length === 0
            ? 'No deployments: workers are not versioned, and any worker may run any run. Create the first deployment: renderline worker --deployment NAME'
            : deployments
                .map((one) => formatDeployment(one, session.output.paint).join('\n'))
                .join('\n\n'),
        );
        return exitCode.done;
      }),
    ),
  );
  declareSetCurrent(command, session);
  declareRamp(command, session);
  declareRollback(command, session);
  declareMove(command, session);
}

function declareSetCurrent(command: Command, session: Session): void {
  withChangeOptions(command.command('set-current'))
    .description('route new runs to a build; open runs stay on their build')
    .argument(...buildArgument)
    .option('--unversioned', 'route new runs to unversioned workers')
    .action(
      session.action((build, { deployment, unversioned, ...flags }) =>
        withTemporal(session, async ({ client }) => {
          const found = await findDeployment(client, deploymentNameOf(session, deployment));
          const to = unversioned ? null : (build ?? ownBuild(session));
          return printChange(session, await setCurrentBuild(client, found, to, optionsOf(flags)));
        }),
      ),
    );
}

function declareRamp(command: Command, session: Session): void {
  withChangeOptions(command.command('ramp'))
    .description('route a percentage of new runs to a build; 0 ends the ramp')
    .argument('<percent>', '0 to 100', percentNumber)
    .argument(...buildArgument)
    .action(
      session.action((percent, build, { deployment, ...flags }) =>
        withTemporal(session, async ({ client }) => {
          const found = await findDeployment(client, deploymentNameOf(session, deployment));
          const buildId = build ?? ownBuild(session);
          const options = optionsOf(flags);
          return printChange(
            session,
            await rampBuild(client, found, { buildId, percent }, options),
          );
        }),
      ),
    );
}

function declareRollback(command: Command, session: Session): void {
  withChangeOptions(command.command('rollback'))
    .description('end a ramp, or route new runs to the previously current build')
    .action(
      session.action(({ deployment, ...flags }) =>
        withTemporal(session, async ({ client }) => {
          const found = await findDeployment(client, deploymentNameOf(session, deployment));
          return printChange(session, await rollBackDeployment(client, found, optionsOf(flags)));
        }),
      ),
    );
}

function declareMove(command: Command, session: Session): void {
  deploymentOption(command.command('move'))
    .description('move open runs of a build without workers to the current build')
    .argument('<build>', 'the build that the runs are pinned to')
    .option('--to <build>', 'pin the runs to this build (default: whichever build is current)')
    .option('--dry-run', 'only list the runs')
    .option(...reasonOption)
    .action(
      session.action((build, { deployment, to, dryRun, reason }) =>
        withTemporal(session, async ({ client }) => {
          const found = await findDeployment(client, deploymentNameOf(session, deployment));
          const of = (buildId: string) => ({ deployment: found.name, buildId });
          if (to !== undefined) requireVersion(found, to);
          const target = to === undefined ? null : of(to);
          const move = () => moveRuns(client, of(build), { to: target, dryRun: dryRun === true });
          const details = { from: build, to: to ?? 'current' };
          const act = { what: 'moved', details, ...withoutUndefined({ reason }) };
          const workflows = dryRun
            ? await move()
            : await auditDeploymentAction(client, found, act, move);
          const shape = { deployment: found.name, from: build, to: to ?? null, workflows };
          const verb = dryRun ? 'Would move' : 'Moved';
          session.output.result(
            { schema: 'renderline/deployment-move/v1', ...shape, done: dryRun !== true },
            () =>
              [
                ...workflows.map((id) => `  ${id}`),
                `${verb} ${formatCount(workflows.length, 'workflow')} of build ${build} to ${to ?? 'the current build'}.`,
              ].join('\n'),
          );
          return exitCode.done;
        }),
      ),
    );
}

function deploymentOption(command: Command) {
  return command.addOption(
    new Option(
      '--deployment <name>',
      'name of the deployment (default: RENDERLINE_DEPLOYMENT, or the only deployment)',
    ),
  );
}

function withChangeOptions(command: Command) {
  return deploymentOption(command)
    .option('--dry-run', 'only show the change')
    .option('--force', 'even if the build has no workers or does not serve a task queue')
    .option(...reasonOption);
}

interface ChangingFlags {
  dryRun?: true | undefined;
  force?: true | undefined;
  reason?: string | undefined;
}

function deploymentNameOf(session: Session, flag: string | undefined): string | undefined {
  return flag ?? (session.io.env['RENDERLINE_DEPLOYMENT'] || undefined);
}

function ownBuild(session: Session): string {
  return readVersionRequest({}, session.io.env).buildId;
}

function optionsOf({ dryRun, force, reason }: ChangingFlags): ChangeOptions {
  return { dryRun: dryRun === true, force: force === true, reason };
}

function percentNumber(value: string): number {
  const percent = /^\d{1,3}(\.\d{1,2})?$/.test(value) ? Number(value) : Number.NaN;
  if (percent <= 100) return percent;
  throw new RenderlineError(
    commandFailures.BAD_NUMBER,
    `The percentage "${value}" is not a number from 0 to 100.`,
    { fix: 'For example: renderline deployments ramp 10' },
  );
}

function printChange(session: Session, change: RoutingChange): number {
  session.output.result(change, () => formatRoutingChange(change));
  return exitCode.done;
}
