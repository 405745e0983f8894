// Logs in to an SFTP server. Chooses the login methods to try, and explains a refusal.
import type { AuthenticationType, Client, ConnectConfig } from 'ssh2';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { LoginError } from './sftp-errors.ts';

export interface Credentials {
  user: string;
  privateKey: string | undefined;
  password: string | undefined;
}

/** The supported login methods, each with the connector field that names its secret. */
const secretFields = {
  publickey: 'privateKeyFrom',
  password: 'passwordFrom',
  'keyboard-interactive': 'passwordFrom',
} as const;

type LoginMethod = keyof typeof secretFields;

export class SftpLogin {
  readonly #credentials: Credentials;
  readonly #methods: LoginMethod[];
  readonly #triedMethods: LoginMethod[] = [];
  #offeredMethods: string[] = [];
  #promptCount = 0;

  constructor(credentials: Credentials) {
    const { privateKey, password } = credentials;
    this.#credentials = credentials;
    this.#methods = [
      ...(privateKey === undefined ? [] : (['publickey'] as const)),
      ...(password === undefined ? [] : (['password', 'keyboard-interactive'] as const)),
    ];
  }

  /** Returns the config for the client. Also makes `client` answer the server's prompt for the password. */
  config(client: Client): ConnectConfig {
    const { user: username, privateKey, password } = this.#credentials;
    client.on('keyboard-interactive', (_name, _text, _language, prompts, answer) => {
      this.#promptCount += prompts.length;
      answer(this.#promptCount === 1 && password !== undefined ? [password] : []);
    });
    return {
      username,
      ...omitUndefined({ privateKey, password }),
      tryKeyboard: password !== undefined,
      authHandler: (remainingMethods: AuthenticationType[] | null, _isPartial, next) => {
        // Two facts are missing from the types: `false` ends the login, and the first list is null.
        (next as (method: AuthenticationType | false) => void)(this.#next(remainingMethods));
      },
    };
  }

  /** Returns the next method: first `none`, to learn the server's offers. Without offers, any method is tried. */
  #next(remainingMethods: readonly string[] | null): AuthenticationType | false {
    if (remainingMethods === null) return 'none';
    this.#offeredMethods = remainingMethods
      .filter((method) => /^[a-z0-9@.-]{1,40}$/.test(method))
      .slice(0, 8);
    const isOffered = (method: LoginMethod) =>
      this.#offeredMethods.length === 0 || this.#offeredMethods.includes(method);
    const method = this.#methods.find(
      (candidate) => isOffered(candidate) && !this.#triedMethods.includes(candidate),
    );
    if (method === undefined) return false;
    this.#triedMethods.push(method);
    return method;
  }

  createError(): LoginError {
    const offers =
      this.#offeredMethods.length === 0 ? 'nothing' : this.#offeredMethods.join(' and ');
    const [reason, fix] = this.#explain();
    return new LoginError(`the server offers ${offers}; ${reason}`, fix);
  }

  #explain(): [why: string, fix: string | null] {
    if (this.#promptCount > 1) {
      const fix = 'use a private key, or an account without a second factor';
      return ['the server asks for more than a password', fix];
    }
    if (this.#triedMethods.length > 0) return [`tried ${this.#triedMethods.join(', ')}`, null];
    const missingField = Object.entries(secretFields).find(([method]) =>
      this.#offeredMethods.includes(method),
    )?.[1];
    const fix =
      missingField === undefined
        ? 'configure the server to accept a private key or a password'
        : `set \`${missingField}\` of the connector to the name of an environment variable`;
    return ['the connector has no credentials for these methods', fix];
  }
}
