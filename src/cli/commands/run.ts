// `renderline run`: starts a pipeline's run and, with `--wait`, follows it to its end.
import { resolve } from 'node:path';
import { type Command, Option } from '@commander-js/extra-typings';
import { exitCode } from '../../failures/exit-code.ts';
import { type Plan, priorities } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { compilePipeline } from '../compiled-file.ts';
import { duration, gather, hostOption, parsePairs } from '../params.ts';
import { runPlace } from '../run-place.ts';
import { launchRun } from '../runs/launch-run.ts';
import { isElsewhere, nothingToDo, refuseExcess } from '../runs/local-run.ts';
import type { Session } from '../session.ts';
import { withTemporal } from '../temporal-session.ts';

export function declareRun(command: Command, session: Session): void {
  command
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', gather)
    .option('--wait', 'follow the run; the exit code is then the run’s')
    .option(
      '--take-over <duration>',
      'take over assets that runs of another Temporal server have held for so long',
      duration('--take-over'),
    )
    .option(
      '--host <name>',
      'work on this host, whose workers have the local folders',
      hostOption('--host'),
    )
    .addOption(
      new Option('--priority <name>', 'how soon its work is taken up, beside other runs').choices(
        priorities,
      ),
    )
    .option('--verify', 'compare what looks unchanged by content, also what was delivered')
    .action(
      session.action(async (file, { param, wait, takeOver, verify, host, priority }) => {
        const compiled = await compilePipeline(session, file, parsePairs('--param', param));
        const { limits } = compiled;
        const plan: Plan = { ...compiled.plan, ...withoutUndefined({ host, priority }) };
        const { output } = session;
        const nothing = isElsewhere(plan) ? null : await nothingToDo(plan);
        if (nothing !== null) {
          output.answer(nothing, () => `Nothing to do: no file for ${plan.pipeline}.`);
          return exitCode.done;
        }
        if (!isElsewhere(plan)) await refuseExcess(session, plan, limits);
        const place = await runPlace(session);
        const options = {
          limits,
          path: resolve(session.io.cwd, file),
          ...withoutUndefined({ takeOverMs: takeOver, verify }),
        };
        const answer = { schema: 'renderline/started/v1' };
        return withTemporal(session, (temporal) =>
          launchRun(session, temporal, { plan, place, options, wait: wait === true, answer }),
        );
      }),
    );
}
