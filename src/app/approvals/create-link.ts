// Creates a link with which one person can decide about the pictures of a run, without a shell or an account.
import { randomBytes } from 'node:crypto';
import { commandFailures } from '../../failures/commands.ts';
import {
  createLinkUrl,
  linkKeyVariable,
  readLinkKey,
} from '../../settings/secrets/decision-link.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { runEndedError } from '../runs/control.ts';
import { readAllowedRun } from '../runs/run-snapshot.ts';
import { withTemporal } from '../temporal-client.ts';

/**
 * @param request.person name under which the decisions are recorded
 * @throws RenderlineError if links are not set up here, or if the run has ended
 */
export async function createLink(
  app: App,
  run: string,
  { person, withinMs }: { person: string; withinMs: number },
) {
  const ui = (await app.config()).ui.value;
  const key = readLinkKey(app.env);
  if (ui === null || key === null) {
    const missingSetting = ui === null ? '`ui.origin` in renderline.yaml' : linkKeyVariable;
    throw new RenderlineError(
      commandFailures.LINKS_NOT_SET,
      `Links are unavailable: ${missingSetting} is not set.`,
    );
  }
  return withTemporal(app, async ({ client }) => {
    const snapshot = await readAllowedRun(app, client, run);
    if (snapshot.status !== 'running') throw runEndedError(snapshot, 'approve');
    const untilMs = app.now() + withinMs;
    const link = { id: randomBytes(12).toString('base64url'), run, person, untilMs };
    return {
      schema: 'renderline/link/v1' as const,
      run,
      person,
      until: new Date(untilMs).toISOString(),
      /** The URL is a secret, because whoever has it can decide in the person's name. */
      url: createLinkUrl(link, { origin: ui.origin, key }),
    };
  });
}
