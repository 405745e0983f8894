// `renderline platform`: manages the platform's own pipelines (Enterprise) from pipeline files.
import type { Command } from '@commander-js/extra-typings';
import { convertForPlatform, pullIntoFile } from '../../app/platform/convert-file.ts';
import { newestJobs } from '../../app/platform/jobs.ts';
import { requirePipeline } from '../../app/platform/pipelines.ts';
import { previewPush, pushPipeline } from '../../app/platform/push.ts';
import { withPlatform } from '../../app/platform-client.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { collectOption, parsePairs, wholeNumberParser } from '../params.ts';
import { formatJobs, formatPipelines } from '../platform/format.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const which = 'id or name of a platform pipeline';

export function declarePlatform(command: Command, session: Session): void {
  addList(command, session);
  addPush(command, session);
  addPull(command, session);
  addSwitch(command, session, 'pause', 'PAUSED', 'stop accepting new files');
  addSwitch(command, session, 'resume', 'ACTIVE', 'accept new files again');
  addJobs(command, session);
}

function addList(group: Command, session: Session): void {
  group
    .command('list')
    .description('list the platform pipelines and the available connectors')
    .action(
      session.action(() =>
        withPlatform(session, async (client) => {
          const { pipelines } = await client.listPipelines();
          const { connectors } = await client.listConnectors();
          const shape = { schema: 'renderline/platform-list/v1', pipelines, connectors };
          session.output.result(shape, () =>
            formatPipelines(
              escapeForTerminal(pipelines),
              escapeForTerminal(connectors),
              session.output.paint,
            ),
          );
          return exitCode.done;
        }),
      ),
    );
}

function addPush(group: Command, session: Session): void {
  group
    .command('push')
    .description('create or update a platform pipeline from a file; lists unsupported fields')
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter value, written into the pipeline', collectOption)
    .option('--to <pipeline>', `${which} to replace (default: the pipeline with the file's name)`)
    .option('--paused', 'create it paused')
    .option('--dry-run', 'only show what it would create')
    .action(
      session.action(async (file, { param, to, paused, dryRun }) => {
        const { shape, unmapped, operations } = await convertForPlatform(
          session,
          file,
          parsePairs('--param', param),
        );
        return withPlatform(
          session,
          async (client) => {
            const { connectors } = await client.listConnectors();
            const missing = shape.connectors.filter((name) => !connectors.includes(name));
            const options = { target: to, paused: paused === true };
            const pushed = await (dryRun ? previewPush : pushPipeline)(client, shape, options);
            const { name } = escapeForTerminal(shape);
            const answer = { ...pushed, name, left: unmapped, missingConnectors: missing };
            session.output.result({ schema: 'renderline/platform-push/v1', ...answer }, () =>
              [
                dryRun
                  ? `would ${pushed.created ? 'create' : 'update'} "${name}"; nothing was sent`
                  : `${pushed.created ? 'created' : 'updated'} "${name}" (${pushed.id}), ${pushed.status}`,
                ...unmapped.map((field) => `  not supported by the platform: ${field}`),
                ...escapeForTerminal(missing).map(
                  (one) => `  the platform has no connector "${one}" yet; connect it there`,
                ),
              ].join('\n'),
            );
            return exitCode.done;
          },
          operations,
        );
      }),
    );
}

function addPull(group: Command, session: Session): void {
  group
    .command('pull')
    .description('write a platform pipeline into a file, as far as the platform returns it')
    .argument('<pipeline>', which)
    .argument(
      '[file]',
      'file to write; an existing file keeps what the platform does not return (default: print)',
    )
    .action(
      session.action((pipeline, file) =>
        withPlatform(session, async (client) => {
          const { id } = await requirePipeline(client, pipeline);
          const shown = await client.getPipeline({ params: { pipelineId: id } });
          const { text, state } = await pullIntoFile(session, shown, file);
          if (file === undefined && !session.output.json) session.output.raw(text);
          else {
            const answer = {
              id,
              name: shown.name,
              status: shown.status,
              file: file ?? null,
              state,
            };
            session.output.result(
              { schema: 'renderline/platform-pull/v1', ...answer, text },
              () => `${state} ${file}`,
            );
          }
          session.output.note(
            'The platform does not return `config` and `parentIds` of nodes, nor fields that only files have.',
          );
          return exitCode.done;
        }),
      ),
    );
}

function addSwitch(
  group: Command,
  session: Session,
  verb: string,
  status: 'ACTIVE' | 'PAUSED',
  description: string,
): void {
  group
    .command(verb)
    .description(description)
    .argument('<pipeline>', which)
    .action(
      session.action((pipeline) =>
        withPlatform(session, async (client) => {
          const { id } = await requirePipeline(client, pipeline);
          const after = await client.updatePipeline({
            params: { pipelineId: id },
            body: { status },
          });
          const shape = { schema: 'renderline/platform-status/v1', id, name: after.name };
          session.output.result(
            { ...shape, status: after.status },
            () => `"${escapeForTerminal(after.name)}" (${id}) is ${after.status}`,
          );
          return exitCode.done;
        }),
      ),
    );
}

function addJobs(group: Command, session: Session): void {
  group
    .command('jobs')
    .description('list the jobs of a pipeline, newest first')
    .argument('<pipeline>', which)
    .option('--limit <n>', 'maximum number of jobs', wholeNumberParser('--limit'), 20)
    .action(
      session.action((pipeline, { limit }) =>
        withPlatform(session, async (client) => {
          const { id } = await requirePipeline(client, pipeline);
          const { jobs, total } = await newestJobs(client, id, limit);
          session.output.result({ schema: 'renderline/platform-jobs/v1', id, total, jobs }, () =>
            formatJobs(escapeForTerminal(jobs), total, session.output.paint),
          );
          return exitCode.done;
        }),
      ),
    );
}
