// `renderline explain`: shows why the next run would process or skip an asset, decided by the same code as in discovery;
// or what a code means. Read-only.
import type { Command } from '@commander-js/extra-typings';
import { nearest } from '../../api/requests/nearest-name.ts';
import { compilePipeline } from '../../app/compile-pipeline.ts';
import { explainCode, formatCode } from '../../app/explain/explain-code.ts';
import { previewAssets } from '../../app/plan/preview-assets.ts';
import { explainUnlessUnauthorized, RenderlineError } from '../../app/renderline-error.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { openConnector } from '../../connectors/index.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { openRunStore } from '../../features/run-store.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { shellQuoted } from '../../plan/helpers/shell-quote.ts';
import type { Plan } from '../../plan/types.ts';
import type { Claim } from '../../store/claims/claims.ts';
import type { Discovered } from '../../store/discovery/discover.ts';
import { keyVerdictOf } from '../../store/discovery/explain-key.ts';
import { KeyStatusReader } from '../../store/runs/key-status.ts';
import { OpenWorkflows, readNamespaceId } from '../../temporal/runs/open-workflows.ts';
import {
  formatExplanation,
  formatReason,
  type KeyExplanation,
  willRun,
} from '../explain/format.ts';
import { collectOption, parsePairs } from '../params.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

/** Limit of keys that are compared with a mistyped key. */
const maxCompared = 10_000;

export function declareExplain(command: Command, session: Session): void {
  command
    .argument('<subject>', 'key, path or platform id of an asset; or a code, such as RL201')
    .argument('[file]', 'pipeline file of the asset')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', collectOption)
    .action(
      session.action(async (key, file, { param }) => {
        if (file === undefined) return printCode(session, key);
        const { plan } = await compilePipeline(session, file, parsePairs('--param', param));
        const found = await previewAssets(session, plan);
        const one = await explainKey(session, plan, key, found);
        if (one.verdict === 'absent' && one.record === null && one.claim === null) {
          throw unknownKeyError(one, found);
        }
        const {
          key: known,
          verdict,
          source,
          begin,
          movedFrom,
          movedTo,
          refusal,
          record,
          claim,
          isWorking,
          recipe,
        } = one;
        const shape = {
          schema: 'renderline/explain/v1',
          pipeline: plan.pipeline,
          key: known,
          verdict,
          source,
          begin,
          movedFrom,
          movedTo,
          refusal,
          runs: willRun(one),
          why: formatReason(one),
          recipe,
          record: record && {
            run: record.run,
            finishedAt: record.finishedAt,
            recipe: record.recipe,
            source: record.source,
            files: record.files.length,
            movedFrom: record.moved?.key ?? null,
          },
          claim: claim && { run: claim.run, state: claim.state, at: claim.at, isWorking },
        };
        session.output.result(shape, () => formatExplanation(one, session.output.paint));
        return exitCode.done;
      }),
    );
}

/** @throws RenderlineError for an unknown code, which may be an asset without its pipeline file */
function printCode(session: Session, word: string): number {
  const one = explainCode(word);
  if (one === null) {
    throw new RenderlineError(commandFailures.USAGE, `There is no code "${word}".`, {
      fix: `If it is an asset, also give its pipeline file: renderline explain ${shellQuoted(word)} FILE`,
    });
  }
  session.output.result({ schema: 'renderline/explain-code/v1', ...one }, () =>
    formatCode(one, session.output.paint),
  );
  return exitCode.done;
}

async function explainKey(
  session: Session,
  { pipeline, records, recipe }: Plan,
  subject: string,
  found: Discovered,
): Promise<KeyExplanation> {
  const verdict = keyVerdictOf(subject, found);
  const context = { run: 'explain', lineage: 'explain', pipeline, recipe };
  const store = openRunStore(openConnector(records), context);
  const standing = await new KeyStatusReader(store).read(verdict.key, null);
  const isWorking = await readIsWorking(session, standing.claim);
  return { ...verdict, ...standing, isWorking, recipe, records };
}

/** Asks Temporal whether the run of the claim is still working, as runs do before they take over an asset. */
async function readIsWorking(session: Session, claim: Claim | null): Promise<boolean | null> {
  if (claim?.state !== 'working') return null;
  try {
    return await withTemporal(session, async ({ client, namespace }) => {
      const own = await readNamespaceId(client, namespace);
      if (claim.temporal === undefined || claim.temporal === own) {
        return new OpenWorkflows(client, own).isAlive(claim);
      }
      session.output.note(
        `${claim.run} runs on another Temporal server, which is not reachable with these settings.`,
      );
      return null;
    });
  } catch (error) {
    session.output.note(`Temporal is not reachable: ${explainUnlessUnauthorized(error).message}`);
    return null;
  }
}

function unknownKeyError(one: KeyExplanation, { classified }: Discovered): RenderlineError {
  const keys = classified.slice(0, maxCompared).map(({ key }) => key);
  const near = nearest(one.key, keys);
  return new RenderlineError(
    commandFailures.KEY_NOT_FOUND,
    `There is no asset "${escapeForTerminal(one.key)}". ${formatReason(one)}`,
    {
      fix:
        near === null
          ? `The root node finds ${formatCount(classified.length, 'asset')}. Check its filters in the pipeline file.`
          : `Did you mean "${escapeForTerminal(near)}"?`,
    },
  );
}
