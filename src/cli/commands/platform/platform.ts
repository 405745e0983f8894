// `renderline platform`: manages the platform's own pipelines (Enterprise) from pipeline files.
import type { Command } from '@commander-js/extra-typings';
import {
  listPipelineJobs,
  listPlatformPipelines,
  pullPipeline,
  pushFile,
  setPipelineStatus,
} from '../../../app/platform/manage-pipelines.ts';
import { reword, sharedArguments, sharedOptions } from '../../options.ts';
import { parsePairs } from '../../params.ts';
import {
  formatJobs,
  formatPipelineStatus,
  formatPipelines,
  formatPush,
} from '../../platform/format.ts';
import type { Session } from '../../session.ts';

const idText = 'id or name of a platform pipeline';

export function declarePlatform(command: Command, session: Session): void {
  const { output } = session;
  const list = session.action(async () => {
    const result = await listPlatformPipelines(session);
    output.result(result, () => formatPipelines(result, output.paint));
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
    .option('--to <pipeline>', `${idText} to replace (default: the pipeline with the file's name)`)
    .option('--paused', 'create the pipeline paused')
    .option(...reword(sharedOptions.dryRun, 'only show what would be created or updated'))
    .action(
      session.action(async (file, { param, to, paused, dryRun = false }) => {
        const parameters = parsePairs('--param', param);
        const result = await pushFile(session, file, { parameters, target: to, paused, dryRun });
        output.result(result, () => formatPush(result, dryRun));
      }),
    );
  command
    .command('pull')
    .description(
      'write a platform pipeline to a file, without the fields that the platform does not return',
    )
    .argument('<pipeline>', idText)
    .argument(
      '[file]',
      'file to write; an existing file keeps the fields that the platform does not return (default: print)',
    )
    .action(
      session.action(async (pipeline, file) => {
        const result = await pullPipeline(session, pipeline, file);
        if (file === undefined && !output.json) output.raw(result.text);
        else output.result(result, () => `${result.state} ${file}`);
        output.note(
          'The platform returns neither `config` and `parentIds` of nodes nor the fields that exist only in files.',
        );
      }),
    );
  declareSwitch(command, session, 'pause', 'PAUSED', 'stop accepting new files');
  declareSwitch(command, session, 'resume', 'ACTIVE', 'accept new files again');
  command
    .command('jobs')
    .description('list the jobs of a pipeline, newest first')
    .argument('<pipeline>', idText)
    .option(...reword(sharedOptions.count, (text) => `${text} jobs`), 20)
    .action(
      session.action(async (pipeline, { limit }) => {
        const jobs = await listPipelineJobs(session, pipeline, limit);
        output.result(jobs, () => formatJobs(jobs, output.paint));
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
    .argument('<pipeline>', idText)
    .action(
      session.action(async (pipeline) => {
        const result = await setPipelineStatus(session, pipeline, status);
        session.output.result(result, () => formatPipelineStatus(result));
      }),
    );
}
