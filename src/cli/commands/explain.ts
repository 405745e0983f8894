// `renderline explain`: why the next run takes an asset or passes it over, as discovery itself decides. Reads only.
import type { Command } from '@commander-js/extra-typings';
import { nearest } from '../../api/nearest-name.ts';
import { openRunStore } from '../../capabilities/run-store.ts';
import { openConnector } from '../../connectors/index.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Plan } from '../../plan/types.ts';
import type { Claim } from '../../store/claims/claims.ts';
import type { Discovered } from '../../store/discovery/discover.ts';
import { verdictOf } from '../../store/discovery/explain-key.ts';
import { Standings } from '../../store/runs/standings.ts';
import { namespaceIdOf, OpenWorkflows } from '../../temporal/open-workflows.ts';
import { compilePipeline } from '../compiled-file.ts';
import { CliError, explainUnlessRefused } from '../exit.ts';
import { type Explained, explainedText, whyOf, willRun } from '../explain/words.ts';
import { gather, parsePairs } from '../params.ts';
import { previewAssets } from '../preview-assets.ts';
import { count } from '../runs/run-summary.ts';
import type { Session } from '../session.ts';
import { withTemporal } from '../temporal-session.ts';

/** Comparing a mistyped key with more would take too long. */
const comparedAtMost = 10_000;

export function declareExplain(command: Command, session: Session): void {
  command
    .argument('<key>', 'key of the asset, path of its file, or its id on the platform')
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', gather)
    .action(
      session.action(async (key, file, { param }) => {
        const { plan } = await compilePipeline(session, file, parsePairs('--param', param));
        const found = await previewAssets(session, plan);
        const one = await explainKey(session, plan, key, found);
        if (one.verdict === 'absent' && one.record === null && one.claim === null) {
          throw unknownKey(one, found);
        }
        const { key: known, verdict, source, refusal, record, claim, isWorking, recipe } = one;
        const shape = {
          schema: 'renderline/explain/v1',
          pipeline: plan.pipeline,
          key: known,
          verdict,
          source,
          refusal,
          runs: willRun(one),
          why: whyOf(one),
          recipe,
          record: record && {
            run: record.run,
            finishedAt: record.finishedAt,
            recipe: record.recipe,
            source: record.source,
            files: record.files.length,
          },
          claim: claim && { run: claim.run, state: claim.state, at: claim.at, isWorking },
        };
        session.output.answer(shape, () => explainedText(one, session.output.paint));
        return exitCode.done;
      }),
    );
}

async function explainKey(
  session: Session,
  { pipeline, records, recipe }: Plan,
  asked: string,
  found: Discovered,
): Promise<Explained> {
  const verdict = verdictOf(asked, found);
  const context = { run: 'explain', lineage: 'explain', pipeline, recipe };
  const store = openRunStore(openConnector(records), context);
  const standing = await new Standings(store).of(verdict.key, null);
  const isWorking = await askWorking(session, standing.claim);
  return { ...verdict, ...standing, isWorking, recipe, records };
}

/** Asks as a run does before it takes an asset over. */
async function askWorking(session: Session, claim: Claim | null): Promise<boolean | null> {
  if (claim?.state !== 'working') return null;
  try {
    return await withTemporal(session, async ({ client, namespace }) => {
      const own = await namespaceIdOf(client, namespace);
      if (claim.temporal === undefined || claim.temporal === own) {
        return new OpenWorkflows(client, own).isAlive(claim);
      }
      session.output.note(
        `${claim.run} is of another Temporal server, which cannot be asked from here.`,
      );
      return null;
    });
  } catch (error) {
    session.output.note(`Temporal cannot be asked: ${explainUnlessRefused(error).message}`);
    return null;
  }
}

function unknownKey(one: Explained, { standings }: Discovered): CliError {
  const keys = standings.slice(0, comparedAtMost).map(({ key }) => key);
  const near = nearest(one.key, keys);
  return new CliError(
    commandFailures.KEY_NOT_FOUND,
    `There is no asset "${one.key}". ${whyOf(one)}`,
    {
      fix:
        near === null
          ? `The root finds ${count(standings.length, 'asset')}; its node in the file says what it takes and leaves out.`
          : `Did you mean "${near}"?`,
    },
  );
}
