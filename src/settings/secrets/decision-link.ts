// Signed links. Each link opens the page on which one person decides about the pictures of one run. Whoever has a link
// decides in that person's name, so a link expires after some time, and as soon as decisions are sent.
import { createHmac } from 'node:crypto';
import { ConfigError } from '../config-error.ts';
import type { Environment } from '../environment.ts';
import { isSameToken, minSecretLength } from './bearer-token.ts';

export const linkKeyVariable = 'RENDERLINE_LINK_KEY';

export interface DecisionLink {
  /** Unique id of the link. Once decisions were sent with the link, its id is refused. */
  id: string;
  run: string;
  person: string;
  untilMs: number;
}

/**
 * Returns the key that signs links, or null if it is not set.
 * @throws ConfigError if it is too short to be secret
 */
export function readLinkKey(env: Environment): string | null {
  const key = (env[linkKeyVariable] ?? '').trim();
  if (key === '') return null;
  if (key.length >= minSecretLength) return key;
  throw new ConfigError(
    `${linkKeyVariable} has ${key.length} characters; it needs at least ${minSecretLength}.`,
    `Create a key, and set the same key for the worker and \`renderline ui\`: export ${linkKeyVariable}=$(openssl rand -hex 32)`,
  );
}

/** Creates the URL of a link. `origin` is the URL of the team's pages, `key` the signing key. */
export function createLinkUrl(
  link: DecisionLink,
  { origin, key }: { origin: string; key: string },
): string {
  return `${origin.replace(/\/$/, '')}/decide/${signLink(link, key)}/`;
}

/** Returns the link as signed text that is safe in a URL. `parseLink` reads it. */
export function signLink({ id, run, person, untilMs }: DecisionLink, key: string): string {
  const content = Buffer.from(JSON.stringify([id, run, person, untilMs])).toString('base64url');
  return `${content}.${signatureOf(content, key)}`;
}

/** Reads a signed link. Returns null unless it was signed with the key. Does not check whether the link has expired. */
export function parseLink(text: string, key: string): DecisionLink | null {
  const [content = '', signature = '', ...extraParts] = text.split('.');
  if (extraParts.length > 0 || !isSameToken(signature, signatureOf(content, key))) return null;
  // The cast is safe, because the signature proves that `signLink` wrote the content.
  const [id, run, person, untilMs] = JSON.parse(Buffer.from(content, 'base64url').toString()) as [
    string,
    string,
    string,
    number,
  ];
  return { id, run, person, untilMs };
}

function signatureOf(content: string, key: string): string {
  return createHmac('sha256', key)
    .update(`renderline decision link\n${content}`)
    .digest('base64url');
}
