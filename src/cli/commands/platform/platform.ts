// `renderline platform`: manages the platform's own pipelines (Enterprise) from pipeline files.
import type { Command } from '@commander-js/extra-typings';
import {
  listPipelineJobs,
  listPlatformPipelines,
  pullPipeline,
  pushFile,
  setPipelineStatus,
} from '../../../app/platform/manage-pipelines.ts';
import { countOption, sharedArguments, sharedOptions } from '../../options.ts';
import { parsePairs } from '../../params.ts';
import {
  formatJobs,
  formatPipelineStatus,
  formatPipelines,
  formatPush,
} from '../../platform/format.ts';
import type { Session } from '../../session.ts';

const which = 'id or name of a platform pipeline';

export function declarePlatform(command: Command, session: Session): void {
  const { output } = session;
  const list = session.action(async () => {
    const listed = await listPlatformPipelines(session);
    output.result(listed, () => formatPipelines(listed, output.paint));
  });
  command.action(list);
  command
    .command('list')
    .description('list the platform pipelines and the available connectors')
    .action(list);
  command
    .command('push')
    .description('create or update a platform pipeline from a file; lists unsupported fields')
    .argument(...sharedArguments.file)
    .option(...sharedOptions.param)
    .option('--to <pipeline>', `${which} to replace (default: the pipeline with the file's name)`)
    .option('--paused', 'create it paused')
    .option('--dry-run', 'only show what it would create')
    .action(
      session.action(async (file, { param, to, paused, dryRun = false }) => {
        const parameters = parsePairs('--param', param);
        const pushed = await pushFile(session, file, { parameters, target: to, paused, dryRun });
        output.result(pushed, () => formatPush(pushed, dryRun));
      }),
    );
  command
    .command('pull')
    .description('write a platform pipeline into a file, as far as the platform returns it')
    .argument('<pipeline>', which)
    .argument(
      '[file]',
      'file to write; an existing file keeps what the platform does not return (default: print)',
    )
    .action(
      session.action(async (pipeline, file) => {
        const pulled = await pullPipeline(session, pipeline, file);
        if (file === undefined && !output.json) output.raw(pulled.text);
        else output.result(pulled, () => `${pulled.state} ${file}`);
        output.note(
          'The platform does not return `config` and `parentIds` of nodes, nor fields that only files have.',
        );
      }),
    );
  declareSwitch(command, session, 'pause', 'PAUSED', 'stop accepting new files');
  declareSwitch(command, session, 'resume', 'ACTIVE', 'accept new files again');
  command
    .command('jobs')
    .description('list the jobs of a pipeline, newest first')
    .argument('<pipeline>', which)
    .option(...countOption('jobs'), 20)
    .action(
      session.action(async (pipeline, { limit }) => {
        const listed = await listPipelineJobs(session, pipeline, limit);
        output.result(listed, () => formatJobs(listed, output.paint));
      }),
    );
}

function declareSwitch(
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
      session.action(async (pipeline) => {
        const after = await setPipelineStatus(session, pipeline, status);
        session.output.result(after, () => formatPipelineStatus(after));
      }),
    );
}
