// A folder on an SFTP server, with server address, host key and credentials. Loads the client for the first connection.

import { z } from 'zod';
import { folderPath, secretName } from '../settings/file-fields.ts';
import { defineConnector } from './connector-type.ts';
import { SftpConnection } from './sftp/sftp-connection.ts';
import { SftpConnector } from './sftp/sftp-connector.ts';
import { SftpFiles } from './sftp/sftp-files.ts';
import { readSecretField } from './spec-fields.ts';

const standardPort = 22;

const config = z
  .strictObject({
    host: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9.:-]{0,252}$/, 'must be a host name or address')
      .describe('Name or address of the server.')
      .meta({ reference: 'host' }),
    port: z.int().min(1).max(65_535).describe('Port of the server. Default: 22.').optional(),
    user: z.string().min(1).max(100).describe('User name for the login.'),
    path: folderPath
      .max(1_000)
      .describe('Folder on the server; a relative path starts at the login folder.'),
    hostKey: z
      .string()
      .regex(
        /^SHA256:[A-Za-z0-9+/]{43}$/,
        'must be a fingerprint as `ssh-keygen -lf` shows it: SHA256: and 43 characters',
      )
      .describe(
        "Fingerprint of the server's host key. Without a fingerprint, no server is trusted.",
      )
      .optional(),
    privateKeyFrom: secretName(
      'Environment variable that holds the unencrypted private key.',
    ).optional(),
    passwordFrom: secretName('Environment variable that holds the password.').optional(),
  })
  .refine(
    (spec) => spec.privateKeyFrom !== undefined || spec.passwordFrom !== undefined,
    'needs `privateKeyFrom` or `passwordFrom`',
  );

export const sftp = defineConnector({
  type: 'sftp',
  summary: 'A folder on an SFTP server.',
  docs: `The private key (OpenSSH or PEM, unencrypted) or the password is read from the named environment variable, of the worker and of the command: \`export RENDERLINE_SECRET_FILES_KEY="$(cat ~/.ssh/render_ed25519)"\`.

The password also answers a server that asks for it by keyboard-interactive, as long as that is its only question.

The operator allows the server in [\`RENDERLINE_ALLOW_HOSTS\`](deployment.md#where-credentials-go): \`export RENDERLINE_ALLOW_HOSTS=sftp://files.example.com\`. No login is sent to a server that is named only in a pipeline file (\`ENDPOINT_NOT_ALLOWED\`).

Without \`hostKey\` no server is trusted. The error shows the fingerprint that was seen; compare it with \`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub\` on the server and write it into the file.

Outputs are replaced in one step by \`posix-rename@openssh.com\`, and records are created by a rename that fails if the name is taken: OpenSSH supports both. A server without \`posix-rename\` is refused when a run starts. A server whose rename overwrites can store outputs, but is refused for records (\`RECORDS_UNSAFE\`) before anything is paid for.

File times on a server are whole seconds, so a file replaced by one of the same size within a second looks unchanged. Links that lead out of the folder are not followed.`,
  example:
    'models: { type: sftp, host: files.example.com, user: render, path: /upload, hostKey: "SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU", privateKeyFrom: RENDERLINE_SECRET_FILES_KEY }',
  config,
  open(spec, env) {
    const { host, port = standardPort, user, hostKey, privateKeyFrom, passwordFrom } = spec;
    // Trailing slashes are removed, so that names can be appended.
    const root = spec.path.replace(/(?<=.)\/+$/, '');
    const access = () => ({
      host,
      port,
      user,
      hostKey,
      privateKey: readSecretField(spec, 'privateKeyFrom', env),
      password: readSecretField(spec, 'passwordFrom', env),
    });
    const address = port === standardPort ? host : `${host}:${port}`;
    const variables = [privateKeyFrom, passwordFrom].filter((name) => name !== undefined);
    return new SftpConnector(root, new SftpFiles(new SftpConnection(access)), {
      location: `SFTP folder ${address}${root.startsWith('/') ? '' : '/'}${root}`,
      credentials: variables.join(' or '),
    });
  },
});
