// `renderline audit`: lists who did what, when, from where and why, as text, CSV or JSON.
import { type Command, Option } from '@commander-js/extra-typings';
import { readAuditLog } from '../../../app/report/read-audit-log.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatAuditCsv, formatAuditGaps, formatAuditLog } from '../../audit/format.ts';
import { reword, sharedOptions } from '../../options.ts';
import type { Session } from '../../session.ts';

const formats = ['text', 'csv'] as const;

export function declareAudit(command: Command, session: Session): void {
  command
    .option(
      ...reword(sharedOptions.since, 'start of the period: yesterday, 12h or 2026-11-01'),
      '7d',
    )
    .option('--until <when>', 'end of the period (default: now)')
    .option(
      ...reword(sharedOptions.pipeline, 'only runs, schedules and event triggers of this pipeline'),
    )
    .option('--run <run>', 'only this run')
    .option('--by <who>', 'only actions by this user: anna, or anna@studio-2')
    .addOption(new Option('--format <name>', 'output format').choices(formats).default('text'))
    .action(
      session.action(async ({ format, ...options }) => {
        const { io, output } = session;
        if (format === 'csv') output.assertNoJson('--format csv');
        const shape = await readAuditLog(session, options, io.interrupts.handleFirst());
        if (format === 'csv') output.raw(formatAuditCsv(shape.entries));
        else output.result(shape, () => formatAuditLog(shape.entries, output.paint));
        for (const remark of formatAuditGaps(shape)) output.note(remark);
        return shape.notRead > 0 ? exitCode.partial : exitCode.done;
      }),
    );
}
