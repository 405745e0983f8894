// Errors for a failed connection to Temporal, with a fix that a person can follow.
import { commandFailures } from '../../failures/commands.ts';
import { storageFailures } from '../../failures/storage.ts';
import type { ClientCertificateInfo } from './client-certificate.ts';

/** Thrown if no Temporal server responds at the address. */
export class TemporalUnreachableError extends Error {
  override name = 'TemporalUnreachableError';
  readonly failure = commandFailures.TEMPORAL_UNREACHABLE;
  readonly fix: string;

  constructor(address: string, addressOrigin: string, reason: string) {
    const isDefault = addressOrigin === 'default';
    const origin = isDefault ? 'the default address' : `from ${addressOrigin}`;
    super(`No Temporal server responds at ${address} (${origin}): ${reason}`);
    // `renderline dev` also uses TEMPORAL_ADDRESS, so the variable must be unset first.
    const dev =
      addressOrigin === 'TEMPORAL_ADDRESS'
        ? 'unset TEMPORAL_ADDRESS; renderline dev'
        : 'renderline dev';
    this.fix = [
      ...(isDefault
        ? []
        : ['Start that server, or correct the network between it and this machine.']),
      `${dev.padEnd(40)}# start everything on this machine`,
      `export TEMPORAL_ADDRESS=HOST:7233       # or use ${isDefault ? 'a running' : 'another'} server`,
    ].join('\n');
  }
}

/** Thrown if the certificate of the server is not trusted. */
export class TemporalCertificateError extends Error {
  override name = 'TemporalCertificateError';
  readonly failure = storageFailures.CERTIFICATE_REFUSED;
  readonly fix =
    'export TEMPORAL_TLS_SERVER_CA_CERT_PATH=FILE   # certificate (PEM) of the authority that signed the server certificate, for commands and workers';

  constructor(address: string, reason: string) {
    super(`No connection to Temporal at ${address}: ${reason}.`);
  }
}

/** Thrown if the server rejects our client certificate, or requires one. */
export class TemporalClientCertificateError extends Error {
  override name = 'TemporalClientCertificateError';
  readonly failure = commandFailures.TEMPORAL_DENIED;
  readonly fix: string;

  constructor(address: string, certificate: ClientCertificateInfo | null) {
    super(
      certificate === null
        ? `Temporal at ${address} requires a client certificate, but no certificate is set.`
        : `Temporal at ${address} refuses the client certificate (${certificate.subject})${
            certificate.expiredOn === null ? '.' : `: it expired on ${certificate.expiredOn}.`
          }`,
    );
    const requirement =
      certificate === null || certificate.expiredOn !== null
        ? 'signed by an authority that the namespace trusts'
        : 'the namespace must trust the authority that signed it';
    this.fix = [
      `export TEMPORAL_TLS_CLIENT_CERT_PATH=FILE   # certificate (PEM), ${requirement}`,
      'export TEMPORAL_TLS_CLIENT_KEY_PATH=FILE    # private key (PEM) of the certificate',
    ].join('\n');
  }
}

/** Thrown if the server responds but does not have the namespace. */
export class NamespaceNotFoundError extends Error {
  override name = 'NamespaceNotFoundError';
  readonly failure = commandFailures.NAMESPACE_NOT_FOUND;
  readonly fix: string;

  constructor(namespace: string, namespaceOrigin: string, address: string) {
    const origin = namespaceOrigin === 'default' ? 'the default' : `from ${namespaceOrigin}`;
    super(
      `The namespace "${namespace}" (${origin}) does not exist on the Temporal server at ${address}.`,
    );
    this.fix = [
      'export TEMPORAL_NAMESPACE=NAME          # an existing namespace, or',
      `temporal operator namespace create --address ${address} --namespace ${namespace}`,
    ].join('\n');
  }
}

/** Thrown if the server refuses the credentials of this process. `cause` is the gRPC error. */
export class TemporalDeniedError extends Error {
  override name = 'TemporalDeniedError';
  readonly failure = commandFailures.TEMPORAL_DENIED;
  readonly fix: string;

  /** `keyFrom` is the variable and the file of the API key. Null if the key is not from a file. */
  constructor(
    { address, namespace }: { address: string; namespace: string },
    details: string,
    { keyFrom, cause }: { keyFrom: string | null; cause: unknown },
  ) {
    super(`Temporal at ${address} refuses access to namespace "${namespace}": ${details}`, {
      cause,
    });
    const { fix } = commandFailures.TEMPORAL_DENIED;
    this.fix = keyFrom === null ? fix : fix.replace('TEMPORAL_API_KEY', keyFrom);
  }
}
