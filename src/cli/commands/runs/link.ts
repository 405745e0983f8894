// `renderline link`: creates a link that lets one person decide about the pictures of a run.
import type { Command } from '@commander-js/extra-typings';
import { createLink } from '../../../app/approvals/create-link.ts';
import { toDurationMs } from '../../../language/duration.ts';
import { formatTimestamp } from '../../../plan/helpers/format-timestamp.ts';
import { sharedArguments } from '../../options.ts';
import { createDurationParser } from '../../params.ts';
import type { Session } from '../../session.ts';

const defaultWithin = '3d';

export function declareLink(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.run)
    .requiredOption('--for <person>', 'name under which the decisions are recorded (required)')
    .option(
      '--within <duration>',
      `how long the link is valid (default: ${defaultWithin})`,
      createDurationParser('--within', '12h'),
    )
    .action(
      session.action(async (run, { for: person, within = toDurationMs(defaultWithin) }) => {
        const shape = await createLink(session, run, { person, withinMs: within });
        session.output.result(shape, () =>
          [
            shape.url,
            `${shape.person} can decide once with this link, until ${formatTimestamp(shape.until)}. Send it only to ${shape.person}.`,
          ].join('\n'),
        );
      }),
    );
}
