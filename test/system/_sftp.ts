// An SFTP server for tests: OpenSSH's sftp-server behind the transport of the ssh2 package, so that no account is
// needed and the tests own the keys and passwords.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type AuthContext, type Connection } from 'ssh2';
import { afterAll, beforeAll } from 'vitest';
import { alterRequests, alterResponses, type SftpFault } from './_sftp-faults.ts';
import { findStore } from './_store-server.ts';

export const sftpServer = await findStore({
  name: 'SFTP server (OpenSSH)',
  folder: 'openssh-sftp-server',
  executable: 'usr/lib/openssh/sftp-server',
  systemPaths: ['/usr/lib/openssh/sftp-server', '/usr/libexec/openssh/sftp-server'],
  installer: 'apt-get',
  fix: 'install openssh-sftp-server, or allow apt-get to reach its mirror once',
  async install(_fresh, run) {
    await run('sh', ['-c', 'apt-get download openssh-sftp-server && dpkg -x *.deb .']);
  },
});

const user = 'render';
// Not ed25519: one in two hundred of these keys cannot be parsed again.
const hostKeys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
const userKeys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
const allowed = parsed(userKeys.public);

export const sftpCredentials = {
  RENDERLINE_SECRET_TEST_SFTP_KEY: userKeys.private,
  RENDERLINE_SECRET_TEST_SFTP_PASSWORD: 'c4n4ry-sftp-password',
  RENDERLINE_ALLOW_HOSTS: '127.0.0.1,files.invalid',
};

export interface SftpInUse {
  /** Connector fields for the server; the test adds `path`. */
  readonly spec: { type: string; host: string; port: number; user: string; hostKey: string };
  readonly hostKey: string;
  /** Creates an empty folder that the server serves; it is deleted afterwards. */
  makeFolder(): Promise<string>;
  /** If false, no client may connect any longer, and open connections are closed. */
  allowConnections(anyone: boolean): void;
  /** Breaks all open connections. */
  breakConnections(): void;
  /** Sets the fault of new connections. */
  setFault(how: SftpFault | null): void;
}

/** A server for the tests of a file. */
export function useSftp(): SftpInUse {
  const connections = new Set<Connection>();
  const folders: string[] = [];
  let open = true;
  let lie: SftpFault | null = null;
  let port = 0;
  const server = new ssh2.Server({ hostKeys: [hostKeys.private] }, (connection) => {
    connections.add(connection);
    // The package's types lack this method. Without it every response is delayed by 40 ms.
    (connection as Connection & { setNoDelay(on: boolean): void }).setNoDelay(true);
    connection.on('close', () => connections.delete(connection));
    connection.on('error', () => undefined);
    connection.on('authentication', (attempt) =>
      open && isKnown(attempt) ? attempt.accept() : attempt.reject(),
    );
    connection.on('session', (accept) => serve(accept(), () => lie));
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(async () => {
    for (const connection of connections) connection.end();
    await new Promise((resolve) => server.close(resolve));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });
  const hangUp = () => {
    for (const connection of connections) connection.end();
  };
  const key = Buffer.from(hostKeys.public.split(' ')[1] ?? '', 'base64');
  const hostKey = `SHA256:${createHash('sha256').update(key).digest('base64').slice(0, 43)}`;
  return {
    get spec() {
      return { type: 'sftp', host: '127.0.0.1', port, user, hostKey };
    },
    hostKey,
    async makeFolder() {
      const folder = await realpath(await mkdtemp(join(tmpdir(), 'renderline-sftp-')));
      folders.push(folder);
      return folder;
    },
    allowConnections(anyone) {
      open = anyone;
      if (!anyone) hangUp();
    },
    breakConnections: hangUp,
    setFault(how) {
      lie = how;
    },
  };
}

function serve(session: ssh2.Session, lie: () => SftpFault | null): void {
  session.on('subsystem', (accept, reject, { name }) => {
    if (name !== 'sftp' || sftpServer.path === null) return reject();
    const channel = accept();
    const child = spawn(sftpServer.path, [], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdin.on('error', () => undefined);
    channel.pipe(alterRequests(lie)).pipe(child.stdin);
    child.stdout.pipe(alterResponses(lie)).pipe(channel);
    channel.on('close', () => child.kill());
    channel.on('error', () => undefined);
  });
}

function isKnown(attempt: AuthContext): boolean {
  if (attempt.username !== user) return false;
  if (attempt.method === 'password') {
    return attempt.password === sftpCredentials.RENDERLINE_SECRET_TEST_SFTP_PASSWORD;
  }
  if (attempt.method !== 'publickey') return false;
  if (!attempt.key.data.equals(allowed.getPublicSSH())) return false;
  const { signature, blob } = attempt;
  // Without a signature the client only asks whether the key would be accepted.
  return !signature || !blob || allowed.verify(blob, signature, attempt.hashAlgo) === true;
}

function parsed(text: string) {
  const key = ssh2.utils.parseKey(text);
  if (key instanceof Error) throw key;
  return key;
}
