// The connection to an SFTP server: the server's offer decides which login method is used, a refusal names the offer,
// and a channel that does not open is an error.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import ssh2, { type AuthContext, type AuthenticationType, type Session } from 'ssh2';
import { afterEach, expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { SftpConnection } from '../../src/connectors/sftp/sftp-connection.ts';
import { SftpConnector } from '../../src/connectors/sftp/sftp-connector.ts';
import { SftpFiles } from '../../src/connectors/sftp/sftp-files.ts';
import { collect } from './_temp-folder.ts';

const hostKeys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
const userKeys = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
const secrets = {
  RENDERLINE_SECRET_KEY: userKeys.private,
  RENDERLINE_SECRET_PASSWORD: 'c4n4ry-password',
  RENDERLINE_ALLOW_HOSTS: '127.0.0.1',
};
const { STATUS_CODE: status } = ssh2.utils.sftp;

interface Login {
  /** Methods that the server offers. With a second list, the server requires one method of each, in this order. */
  offers: AuthenticationType[][];
  /** Questions of keyboard-interactive, one list per round. */
  prompts?: string[][];
}

let server: ssh2.Server | undefined;
afterEach(() => server?.close());

/** @param serve handles a session after the login */
async function startServer(login: Login, serve: (session: Session) => void) {
  const tried: string[] = [];
  const own = new ssh2.Server({ hostKeys: [hostKeys.private] }, (client) => {
    let stage = 0;
    client.on('error', () => undefined);
    const judge = async (attempt: AuthContext) => {
      if (attempt.method !== 'none') tried.push(attempt.method);
      const offered = login.offers[stage] ?? [];
      const isGood = offered.includes(attempt.method) && (await isRight(attempt, login));
      // Without a signature the client only asks whether the key is acceptable.
      if (isGood && attempt.method === 'publickey' && !attempt.signature) return attempt.accept();
      if (isGood) stage += 1;
      const next = login.offers[stage];
      if (isGood && next === undefined) attempt.accept();
      else attempt.reject(next ?? [], isGood);
    };
    client.on('authentication', (attempt) => void judge(attempt));
    client.on('session', (accept) => serve(accept()));
  });
  server = own.listen(0, '127.0.0.1');
  await once(own, 'listening');
  const key = Buffer.from(hostKeys.public.split(' ')[1] ?? '', 'base64');
  const access = {
    host: '127.0.0.1',
    port: (own.address() as AddressInfo).port,
    user: 'render',
    hostKey: `SHA256:${createHash('sha256').update(key).digest('base64').slice(0, 43)}`,
  };
  return { access, tried };
}

/** Lists the folder of a server, which is empty. */
async function listing(login: Login, fields: Record<string, string>) {
  const { access, tried } = await startServer(login, serveEmptyFolder);
  const spec = { type: 'sftp', path: '/in', ...access, ...fields };
  const listed = await collect(openConnector(spec, secrets).list()).catch(
    (error: unknown) => error,
  );
  return { listed, tried };
}

async function isRight(attempt: AuthContext, { prompts = [['Password: ']] }: Login) {
  if (attempt.method === 'password') return attempt.password === 'c4n4ry-password';
  if (attempt.method === 'publickey') return true;
  if (attempt.method !== 'keyboard-interactive') return false;
  for (const asked of prompts) {
    const answers = await new Promise<string[]>((resolve) =>
      attempt.prompt(
        asked.map((prompt) => ({ prompt, echo: false })),
        resolve,
      ),
    );
    if (asked.length > 0 && answers[0] !== 'c4n4ry-password') return false;
  }
  return true;
}

function serveEmptyFolder(session: Session): void {
  session.on('sftp', (accept) => {
    const sftp = accept();
    const folder = { mode: 0o40755, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };
    sftp.on('STAT', (id) => sftp.attrs(id, folder));
    sftp.on('REALPATH', (id, path) =>
      sftp.name(id, [{ filename: path, longname: path, attrs: folder }]),
    );
    sftp.on('OPENDIR', (id) => sftp.handle(id, Buffer.from('f')));
    sftp.on('READDIR', (id) => sftp.status(id, status.EOF));
    sftp.on('CLOSE', (id) => sftp.status(id, status.OK));
  });
}

const password = { passwordFrom: 'RENDERLINE_SECRET_PASSWORD' };
const key = { privateKeyFrom: 'RENDERLINE_SECRET_KEY' };

it.each<[string, Login, Record<string, string>, string[]]>([
  [
    'the password, if it is offered',
    { offers: [['publickey', 'password']] },
    password,
    ['password'],
  ],
  [
    'an answer to a single prompt, if only keyboard-interactive is offered',
    { offers: [['keyboard-interactive', 'publickey']] },
    password,
    ['keyboard-interactive'],
  ],
  [
    'an answer to a prompt that follows a round without questions',
    { offers: [['keyboard-interactive']], prompts: [[], ['Passwort: '], []] },
    password,
    ['keyboard-interactive'],
  ],
  [
    'the key, which is tried before the password',
    { offers: [['password', 'publickey']] },
    { ...key, ...password },
    ['publickey'],
  ],
  [
    'a key followed by a password, if the server requires both',
    { offers: [['publickey'], ['keyboard-interactive']] },
    { ...key, ...password },
    ['publickey', 'keyboard-interactive'],
  ],
])('a login succeeds with %s', async (_, login, fields, tried) => {
  const seen = await listing(login, fields);
  expect(seen.listed).toEqual([]);
  expect(seen.tried.filter((one, at, all) => all.indexOf(one) === at)).toEqual(tried);
});

it.each<[string, Login, Record<string, string>, RegExp]>([
  [
    'a password on a server that accepts only keys',
    { offers: [['publickey']] },
    password,
    /offers publickey.*no credentials for these methods.*privateKeyFrom/,
  ],
  [
    'a key on a server that accepts only passwords',
    { offers: [['password', 'keyboard-interactive']] },
    key,
    /offers password and keyboard-interactive.*no credentials for these methods.*passwordFrom/,
  ],
  [
    'a prompt that asks for more than the password',
    { offers: [['keyboard-interactive']], prompts: [['Password: ', 'Code: ']] },
    password,
    /offers keyboard-interactive.*asks for more than a password/,
  ],
  [
    'a second question after the password',
    { offers: [['keyboard-interactive']], prompts: [['Password: '], ['Code: ']] },
    password,
    /offers keyboard-interactive.*asks for more than a password/,
  ],
  [
    'a wrong password',
    { offers: [['keyboard-interactive', 'password']], prompts: [['Password: ']] },
    { passwordFrom: 'RENDERLINE_SECRET_KEY' },
    /offers keyboard-interactive and password.*tried password, keyboard-interactive.*correct RENDERLINE_SECRET_KEY/,
  ],
  ['a server that offers no method', { offers: [[]] }, password, /offers nothing.*tried password/],
])('the error for %s lists the methods that the server offers', async (_, login, fields, said) => {
  const { listed } = await listing(login, fields);
  expect(listed).toMatchObject({
    code: 'CREDENTIALS_REFUSED',
    message: expect.stringMatching(said),
  });
  expect(inspect(listed, { depth: 9, showHidden: true })).not.toMatch(/c4n4ry|PRIVATE KEY/);
});

it.each([
  ['never opens', 'late', () => undefined],
  ['refuses', 'lost', (reject: () => void) => reject()],
])(
  'a channel that the server %s is an error, and the next request reconnects',
  async (_, why, first) => {
    let sessions = 0;
    const { access } = await startServer({ offers: [['password']] }, (session) => {
      sessions += 1;
      if (sessions > 1) serveEmptyFolder(session);
      else session.on('sftp', (_accept, reject) => first(reject));
    });
    const login = { privateKey: undefined, password: secrets.RENDERLINE_SECRET_PASSWORD };
    const files = new SftpFiles(new SftpConnection(() => ({ ...access, ...login }), 1_000));
    const connector = new SftpConnector('/in', files, { location: 'the folder', credentials: 'X' });
    await expect(collect(connector.list())).rejects.toMatchObject({
      code: 'CONNECTOR_UNREACHABLE',
      message: expect.stringContaining(`(${why})`),
    });
    expect(await collect(connector.list())).toEqual([]);
    expect(sessions).toBe(2);
  },
);
