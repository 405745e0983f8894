// A folder on an SFTP server: which server, whose key, and where its credentials stand. The client is loaded
// with the first connection.

import type { ConnectorSpec } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { ConnectorError } from './connector-error.ts';
import { SftpConnector } from './sftp/sftp-connector.ts';
import { SftpFiles } from './sftp/sftp-files.ts';
import { SftpLink } from './sftp/sftp-link.ts';
import { needSafeAddress, optionalText, secretFrom, textOf } from './spec-fields.ts';

const standardPort = 22;

export function openSftp(spec: ConnectorSpec, env: Environment): SftpConnector {
  const [host, user] = [textOf(spec, 'host'), textOf(spec, 'user')];
  const port = typeof spec['port'] === 'number' ? spec['port'] : standardPort;
  // Without the slash at the end, so that names can be put behind it.
  const root = textOf(spec, 'path').replace(/(?<=.)\/+$/, '');
  const names = [optionalText(spec, 'privateKeyFrom'), optionalText(spec, 'passwordFrom')];
  const variables = names.filter((name) => name !== undefined);
  const access = () => {
    needSafeAddress(spec, `https://${host.includes(':') ? `[${host}]` : host}`, env);
    if (variables.length === 0) throw noCredentials(host);
    return {
      host,
      port,
      user,
      hostKey: optionalText(spec, 'hostKey'),
      privateKey: secretFrom(spec, 'privateKeyFrom', env),
      password: secretFrom(spec, 'passwordFrom', env),
    };
  };
  const at = port === standardPort ? host : `${host}:${port}`;
  return new SftpConnector(spec, root, new SftpFiles(new SftpLink(access)), {
    place: `SFTP folder ${at}${root.startsWith('/') ? '' : '/'}${root}`,
    credentials: variables.join(' or '),
  });
}

function noCredentials(host: string): ConnectorError {
  return new ConnectorError(
    'CREDENTIALS_MISSING',
    '',
    `the connector for ${host} names no credentials`,
    'give `privateKeyFrom` or `passwordFrom`, the name of an environment variable',
  );
}
