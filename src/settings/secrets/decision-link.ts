// Signed links. Each opens the page on which one person decides about the pictures of one run. Whoever has a link decides in that
// person's name, so it ends after a time, and once decisions were sent.
import { createHmac } from 'node:crypto';
import { ConfigError } from '../config-error.ts';
import type { Environment } from '../environment.ts';
import { isSameToken, minSecretLength } from './bearer-token.ts';

export const linkKeyVariable = 'RENDERLINE_LINK_KEY';

export interface DecisionLink {
  /** Of this link, so that it is used once. */
  id: string;
  run: string;
  /** Name of the person who decides by it. */
  person: string;
  /** Milliseconds since the epoch. */
  untilMs: number;
}

/**
 * The key that signs links; null if it is not set.
 * @throws ConfigError if it is too short to be secret
 */
export function readLinkKey(env: Environment): string | null {
  const key = (env[linkKeyVariable] ?? '').trim();
  if (key === '') return null;
  if (key.length >= minSecretLength) return key;
  throw new ConfigError(
    `${linkKeyVariable} has ${key.length} characters; it needs at least ${minSecretLength}.`,
    `Make one, and give it to the worker and to \`renderline ui\`: export ${linkKeyVariable}=$(openssl rand -hex 32)`,
  );
}

/** The address that opens it. @param origin of the pages of the team */
export function linkAddress(
  link: DecisionLink,
  { origin, key }: { origin: string; key: string },
): string {
  return `${origin.replace(/\/$/, '')}/decide/${signLink(link, key)}/`;
}

/** Text that is safe in an address. */
export function signLink({ id, run, person, untilMs }: DecisionLink, key: string): string {
  const content = Buffer.from(JSON.stringify([id, run, person, untilMs])).toString('base64url');
  return `${content}.${signatureOf(content, key)}`;
}

/** Returns null unless the text was signed with the key. A link whose time is over is returned too. */
export function readLink(text: string, key: string): DecisionLink | null {
  const [content = '', signature = '', ...rest] = text.split('.');
  if (rest.length > 0 || !isSameToken(signature, signatureOf(content, key))) return null;
  // Only signed content gets here.
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
