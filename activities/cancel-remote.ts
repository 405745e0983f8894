// Cancels the platform work of a cancelled run. Ids of resources that were created for an asset, but that no result has
// reported, are saved first.
import { capabilities } from '../src/capabilities/index.ts';
import type { CancelRemoteInput, CancelReport } from '../src/plan/step-contract.ts';
import { untoldFor } from '../src/store/calls/answered.ts';
import type { AssetPatch } from '../src/store/runs/shard-pages.ts';
import { bookkeeping } from './bookkeeping.ts';
import type { Deps } from './deps.ts';
import { readSheets, writePatches } from './shard-sheets.ts';

/** Safe to retry: a retry finds the work of the first attempt already cancelled. */
export async function cancelRemote(input: CancelRemoteInput, deps: Deps): Promise<CancelReport> {
  const requests = deps.requestsOf(input.context.run);
  return bookkeeping(deps, async (signal, hold) => {
    const { run } = input.context;
    const store = deps.store(input.context);
    const calls = await store.callsBy({ run, shard: input.shard });
    const left: AssetPatch[] = [];
    const sheets = (await readSheets(input, deps, signal)).map((sheet) => {
      // The call may have succeeded while its step was cancelled before the step could report the created resource.
      const untold = untoldFor(sheet, calls, store.refs);
      if (Object.keys(untold).length > 0) left.push({ at: sheet.at, refs: untold });
      return { ...sheet, refs: { ...sheet.refs, ...untold } };
    });
    const { client, now } = deps;
    for (const capability of capabilities) {
      const patches = await capability.cancel?.(sheets, { client, requests, now, hold });
      left.push(...(patches ?? []));
    }
    const pages = await writePatches(input, { node: '' }, left, deps);
    return { pages, requests: requests.take().byOperation };
  });
}
