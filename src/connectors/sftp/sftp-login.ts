// The ways to log in to a server: which of them are tried, and what a refusal says about them.
import type { AuthenticationType, Client, ConnectConfig } from 'ssh2';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { LoginError } from './sftp-errors.ts';

export interface Credentials {
  user: string;
  privateKey: string | undefined;
  password: string | undefined;
}

/** Ways that need nothing else than a key or a password of the connector. */
const fields = {
  publickey: 'privateKeyFrom',
  password: 'passwordFrom',
  'keyboard-interactive': 'passwordFrom',
} as const;

type Way = keyof typeof fields;

export class SftpLogin {
  readonly #credentials: Credentials;
  readonly #ways: Way[];
  readonly #tried: Way[] = [];
  #offered: string[] = [];
  #questions = 0;

  constructor(credentials: Credentials) {
    const { privateKey, password } = credentials;
    this.#credentials = credentials;
    this.#ways = [
      ...(privateKey === undefined ? [] : (['publickey'] as const)),
      ...(password === undefined ? [] : (['password', 'keyboard-interactive'] as const)),
    ];
  }

  /** Fields for the client, which asks `client` for answers to questions of the server. */
  config(client: Client): ConnectConfig {
    const { user: username, privateKey, password } = this.#credentials;
    client.on('keyboard-interactive', (_name, _text, _language, prompts, answer) => {
      this.#questions += prompts.length;
      answer(this.#questions === 1 && password !== undefined ? [password] : []);
    });
    return {
      username,
      ...withoutUndefined({ privateKey, password }),
      tryKeyboard: password !== undefined,
      authHandler: (left: AuthenticationType[] | null, _isPartial, next) => {
        // The types leave out that false ends the login, and that the first list is none.
        (next as (way: AuthenticationType | false) => void)(this.#next(left));
      },
    };
  }

  /** Asks first what is offered. A server that names no way may still take one. */
  #next(left: readonly string[] | null): AuthenticationType | false {
    if (left === null) return 'none';
    this.#offered = left.filter((way) => /^[a-z0-9@.-]{1,40}$/.test(way)).slice(0, 8);
    const isOffered = (way: Way) => this.#offered.length === 0 || this.#offered.includes(way);
    const way = this.#ways.find((one) => isOffered(one) && !this.#tried.includes(one));
    if (way === undefined) return false;
    this.#tried.push(way);
    return way;
  }

  /** Why it came to nothing. */
  refusal(): LoginError {
    const offers = this.#offered.length === 0 ? 'nothing' : this.#offered.join(' and ');
    const [why, fix] = this.#reason();
    return new LoginError(`the server offers ${offers}; ${why}`, fix);
  }

  #reason(): [why: string, fix: string | null] {
    if (this.#questions > 1) {
      const fix = 'use a key, or an account without a second factor';
      return ['it asks for more than a password', fix];
    }
    if (this.#tried.length > 0) return [`tried ${this.#tried.join(', ')}`, null];
    const missing = Object.entries(fields).find(([way]) => this.#offered.includes(way))?.[1];
    const fix =
      missing === undefined
        ? 'let the server take a key or a password'
        : `name a variable under \`${missing}\``;
    return ['the connector has no such way', fix];
  }
}
