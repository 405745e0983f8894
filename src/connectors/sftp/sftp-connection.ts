// A shared connection to an SFTP server, reopened if it breaks. It keeps the process alive only during requests.
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { SFTPWrapper } from 'ssh2';
import { createGuardedLookup } from '../../api/network/network-guard.ts';
import { ConnectorError } from '../connector-error.ts';
import { levelOf, SftpConnectionError } from './sftp-errors.ts';
import { type Credentials, SftpLogin } from './sftp-login.ts';

export interface SftpAccess extends Credentials {
  host: string;
  port: number;
  /** Fingerprint `SHA256:…` as shown by `ssh-keygen -l`. Without a fingerprint, no server is trusted. */
  hostKey: string | undefined;
}

/** Maximum wait for the login, and then for the SFTP channel. */
const connectMs = 15_000;
const keepaliveMs = 15_000;
/** Maximum wait for a response, after which the connection counts as dead. */
const responseTimeoutMs = 60_000;

interface Connection {
  sftp: SFTPWrapper;
  socket: Socket;
  broken: Promise<never>;
}

type DoneCallback<T> = (error: Error | null | undefined, value: T) => void;

export class SftpConnection {
  readonly #access: () => SftpAccess;
  readonly #channelMs: number;
  #connection: Promise<Connection> | undefined;
  #users = 0;

  /** @param access called per connection, because credentials change @param channelMs maximum wait after the login */
  constructor(access: () => SftpAccess, channelMs = connectMs) {
    this.#access = access;
    this.#channelMs = channelMs;
  }

  /** Sends one request of the protocol and returns its response. Has a timeout. */
  async request<T>(start: (sftp: SFTPWrapper, done: DoneCallback<T>) => void): Promise<T> {
    this.#connection ??= this.#open();
    const connection = await this.#connection;
    this.#users += 1;
    connection.socket.ref();
    let timer: NodeJS.Timeout | undefined;
    try {
      const timeout = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new SftpConnectionError('late', `no response within ${responseTimeoutMs} ms`));
          connection.socket.destroy();
        }, responseTimeoutMs);
      });
      const response = new Promise<T>((resolve, reject) => {
        start(connection.sftp, (error, value) => (error ? reject(error) : resolve(value)));
      });
      return await Promise.race([response, connection.broken, timeout]);
    } finally {
      clearTimeout(timer);
      this.#users -= 1;
      if (this.#users === 0) connection.socket.unref();
    }
  }

  async #open(): Promise<Connection> {
    try {
      const connection = await openConnection(this.#access(), this.#channelMs);
      connection.broken.catch(() => {
        this.#connection = undefined;
      });
      return connection;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }
}

async function openConnection(access: SftpAccess, channelMs: number): Promise<Connection> {
  const { host, port } = access;
  const { default: ssh2 } = await import('ssh2');
  // We open our own socket with keepalive, because the client's own timer would keep the process alive.
  const socket = connect({
    host,
    port,
    lookup: createGuardedLookup('any'),
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: keepaliveMs,
  });
  const client = new ssh2.Client();
  const login = new SftpLogin(access);
  let fingerprint = '';
  const broken = new Promise<never>((_, reject) => {
    const onLost = (error?: Error) =>
      reject(error ?? new SftpConnectionError('lost', 'the connection ended'));
    client.on('error', onLost);
    client.on('close', () => onLost());
    socket.on('error', onLost);
  });
  broken.catch(() => socket.destroy());
  let timer: NodeJS.Timeout | undefined;
  const channel = new Promise<SFTPWrapper>((resolve, reject) => {
    client.once('ready', () => {
      // The client's own timeout ends with the login.
      timer = setTimeout(() => {
        reject(new SftpConnectionError('late', `no SFTP channel within ${channelMs} ms`));
      }, channelMs);
      client.sftp((error, sftp) => {
        // The code of this error is an exit code of the server's program, not a status of the protocol.
        if (error) reject(new SftpConnectionError('lost', error.message));
        else resolve(sftp);
      });
    });
  });
  try {
    client.connect({
      sock: socket,
      ...login.config(client),
      readyTimeout: connectMs,
      hostVerifier: (key: Buffer) => {
        fingerprint = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
        return fingerprint === access.hostKey;
      },
    });
  } catch {
    // The client's error is not used, because its message may contain the key.
    socket.destroy();
    throw new ConnectorError(
      'CREDENTIALS_REFUSED',
      '',
      `the private key for ${access.user}@${host} cannot be read`,
      'set the variable of `privateKeyFrom` to an unencrypted private key in OpenSSH or PEM format',
    );
  }
  try {
    return { sftp: await Promise.race([channel, broken]), socket, broken };
  } catch (error) {
    client.destroy();
    if (fingerprint !== '' && fingerprint !== access.hostKey)
      throw untrustedHostError(access, fingerprint);
    const isRefused = error instanceof Error && levelOf(error) === 'client-authentication';
    throw isRefused ? login.createError() : error;
  } finally {
    clearTimeout(timer);
  }
}

function untrustedHostError({ host, hostKey }: SftpAccess, fingerprint: string): ConnectorError {
  const reason =
    hostKey === undefined ? 'no host key is trusted' : 'its host key differs from the trusted one';
  return new ConnectorError(
    'HOST_KEY_REFUSED',
    '',
    `${host} is not trusted: ${reason}; its fingerprint is ${fingerprint}`,
    `compare the fingerprint with that of the server; if they are equal, add it to the connector: hostKey: "${fingerprint}"`,
  );
}
