// An SFTP server with one password: OpenSSH's `sftp-server` behind the SSH transport of the ssh2 package.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { cacheDirectory } from '../../src/settings/cache-dir.ts';

export const sftpPassword = 'bench';

const programs = [
  '/usr/lib/openssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  // The tests install `sftp-server` here.
  join(cacheDirectory(process.env), 'openssh-sftp-server/usr/lib/openssh/sftp-server'),
];

export interface SftpServer {
  port: number;
  hostKey: string;
  close(): Promise<void>;
}

/** Starts the server. Returns null if this machine has no `sftp-server`. */
export async function openSftpServer(): Promise<SftpServer | null> {
  const program = programs.find((path) => existsSync(path));
  if (program === undefined) return null;
  const keys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
  const server = new ssh2.Server({ hostKeys: [keys.private] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (attempt) =>
      attempt.method === 'password' && attempt.password === sftpPassword
        ? attempt.accept()
        : attempt.reject(['password']),
    );
    connection.on('session', (accept) =>
      accept().on('subsystem', (acceptIt) => {
        const channel = acceptIt();
        const child = spawn(program, [], { stdio: ['pipe', 'pipe', 'ignore'] });
        child.stdin.on('error', () => undefined);
        channel.pipe(child.stdin);
        child.stdout.pipe(channel);
        channel.on('close', () => child.kill());
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const key = Buffer.from(keys.public.split(' ')[1] ?? '', 'base64');
  return {
    port: (server.address() as AddressInfo).port,
    hostKey: `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
