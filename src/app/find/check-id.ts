// Rejects texts that cannot be an id of the platform, before a search.
import { commandFailures } from '../../failures/commands.ts';
import { RenderlineError } from '../renderline-error.ts';

const longest = 256;

/** @throws RenderlineError for a text that cannot be an id. The message does not repeat a text that may be an API key. */
export function checkId(id: string): void {
  const why = explainInvalidId(id);
  if (why === null) return;
  throw new RenderlineError(commandFailures.NOT_AN_ID, why);
}

function explainInvalidId(id: string): string | null {
  if (id === '') return 'The id is empty.';
  // API keys have this form.
  if (/^svc_[^_]+_.+/.test(id)) return 'This looks like an API key, not like an id.';
  if (id.length > longest) return `This is longer than ${longest} characters, so it is not an id.`;
  if (/^https?:\/\//i.test(id)) return 'This is an address, not an id.';
  if (/[\s'"`\\/<>?#&=]|\p{Cc}/u.test(id)) {
    return `${JSON.stringify(id)} contains characters that no id of the platform has.`;
  }
  return null;
}
