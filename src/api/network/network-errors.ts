// Classifies connection errors of our own client, of object store SDKs and of Temporal's client. Pure.
import type { TransportPhase } from '../errors/errors.ts';
import { ForbiddenAddressError } from '../errors/transfer-errors.ts';
import { asRecord } from '../unknown-values.ts';
import { ProxyError } from './proxy.ts';

/**
 * - `address`: the address is not allowed, so no connection was attempted.
 * - `certificate`: the server's certificate is not trusted, has expired or was issued for another name.
 * - `proxy`: the proxy refuses the connection, and only a person can change that.
 * - `unreachable`: any temporary error, such as DNS, timeouts and broken connections.
 */
export type NetworkErrorKind = 'address' | 'certificate' | 'proxy' | 'unreachable';

export interface NetworkErrorDetails {
  errorKind: NetworkErrorKind;
  /** Code of the system or of a library. */
  code: string;
  phase: TransportPhase;
  /** Human-readable description of what happened. Contains no secrets. */
  reason: string;
}

const unknownSigner = 'is not trusted: this machine does not know the authority that signed it';
const certificateErrors: Readonly<Record<string, string | undefined>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is not trusted: it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: unknownSigner,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `${unknownSigner}, or the server did not send an intermediate certificate`,
  UNABLE_TO_GET_ISSUER_CERT: unknownSigner,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownSigner,
  CERT_UNTRUSTED: 'is not trusted',
  CERT_REJECTED: 'is not trusted',
  INVALID_CA: 'is not trusted: its signer is not a certificate authority',
  INVALID_PURPOSE: 'is not trusted: it is not a server certificate',
  CERT_SIGNATURE_FAILURE: 'is not trusted: its signature is wrong',
  CERT_CHAIN_TOO_LONG: 'is not trusted: its certificate chain is too long',
  CERT_REVOKED: 'was revoked',
  CERT_NOT_YET_VALID: 'is not valid yet: check the clock of this machine',
  CERT_HAS_EXPIRED: 'has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name',
  HOSTNAME_MISMATCH: 'is for another host name',
};

/** Errors that occur before a connection exists. */
const connectErrors: Readonly<Record<string, string | undefined>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host (no name server responds)',
  EAI_FAIL: 'unknown host (the name server returned an error)',
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'network not reachable',
  EADDRNOTAVAIL: 'this machine has no free address for a connection',
  // The process has too many open files to open another socket.
  EMFILE: 'too many files are open on this machine',
  ENFILE: 'too many files are open on this machine',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the server does not use TLS on this port; perhaps the address needs http or another port',
};

/** Why a DNS name is refused before a connection is opened. */
export const refusedAddressReason =
  "its DNS name resolves to public and private addresses, or to a cloud's metadata service";
const timeoutReason = 'no response in time';
const disconnectReason = 'the connection was interrupted';
/** Errors that may occur after the request has arrived. */
const errorsAfterSending: Readonly<Record<string, string | undefined>> = {
  ETIMEDOUT: timeoutReason,
  ESOCKETTIMEDOUT: timeoutReason,
  UND_ERR_HEADERS_TIMEOUT: timeoutReason,
  UND_ERR_BODY_TIMEOUT: timeoutReason,
  TimeoutError: timeoutReason,
  RequestTimeout: timeoutReason,
  StalledError: timeoutReason,
  AbortError: timeoutReason,
  ABORT_ERR: timeoutReason,
  ECONNRESET: disconnectReason,
  ECONNABORTED: disconnectReason,
  EPIPE: disconnectReason,
  UND_ERR_SOCKET: disconnectReason,
  ERR_STREAM_PREMATURE_CLOSE: disconnectReason,
  CutShortError: disconnectReason,
  REQUEST_SEND_ERROR: disconnectReason,
  EPROTO: 'TLS failed',
  HPE_INVALID_CONSTANT: 'the response is not HTTP',
};

/**
 * What a person must do about a proxy error, or null if the error is temporary. Proxy errors are recognized by code,
 * because object store SDKs keep only the code of an error.
 */
const proxyFixes: Readonly<Record<string, string | null | undefined>> = {
  PROXY_ADDRESS: 'correct the variable, or remove the variable',
  PROXY_AUTH: 'add the user and the password to the variable: http://USER:PASSWORD@HOST:PORT',
  PROXY_DENIED: 'allow the host on the proxy, or add the host to NO_PROXY',
  PROXY_NO_WAY: null,
  PROXY_UNREACHABLE: null,
};

export function networkErrorKindOf(code: string): NetworkErrorKind {
  if (code === ('ADDRESS_REFUSED' satisfies ForbiddenAddressError['code'])) return 'address';
  if (certificateErrors[code] !== undefined) return 'certificate';
  return proxyFixes[code] ? 'proxy' : 'unreachable';
}

/**
 * Classifies a network error, or the first network error among its causes. Returns null for any other error.
 * @param host mentioned in messages about certificates
 */
export function classifyNetworkError(error: unknown, host: string): NetworkErrorDetails | null {
  if (!(error instanceof Error)) return null;
  // A connection to a host name with several addresses fails with an AggregateError. Its first error is used.
  const [firstError] = error instanceof AggregateError ? error.errors : [];
  return classifySingleError(error, host) ?? classifyNetworkError(error.cause ?? firstError, host);
}

function classifySingleError(error: Error, host: string): NetworkErrorDetails | null {
  const { code: errorCode } = asRecord(error);
  const code = typeof errorCode === 'string' ? errorCode : error.name;
  const errorKind = networkErrorKindOf(code);
  const connectReason = findConnectReason(error, errorKind, code, host);
  const ownCode = networkCode.test(code) ? code : undefined;
  const reason = connectReason ?? errorsAfterSending[code] ?? ownCode;
  if (reason === undefined) return null;
  return { errorKind, code, phase: connectReason === undefined ? 'sent' : 'connect', reason };
}

/** Returns why there is no connection. Undefined for errors that may occur after the request has arrived. */
function findConnectReason(
  error: Error,
  errorKind: NetworkErrorKind,
  code: string,
  host: string,
): string | undefined {
  if (errorKind === 'address')
    return error instanceof ForbiddenAddressError ? error.message : refusedAddressReason;
  if (errorKind === 'certificate') return `the certificate of ${host} ${certificateErrors[code]}`;
  return proxyFixes[code] === undefined ? connectErrors[code] : explainProxyError(error);
}

function explainProxyError(error: Error): string {
  const { message, cause } = error;
  if (!(error instanceof ProxyError) || cause === undefined) return message;
  const causeReason = classifyNetworkError(cause, 'the proxy')?.reason ?? 'the connection failed';
  return `${message}: ${causeReason}`;
}

/** Error codes of the system and of libraries. Codes without an explanation here are shown unchanged. */
const networkCode = /^(?:E[A-Z]+|UND_ERR_[A-Z_]+|ERR_SSL_[A-Z0-9_]+|HPE_[A-Z_]+)$/;

/** Formats the reason of a network error, preceded by the host unless the reason already contains it. */
export function formatNetworkError(
  { errorKind, code, reason }: NetworkErrorDetails,
  host: string,
): string {
  const isNamed = errorKind !== 'unreachable' || proxyFixes[code] !== undefined;
  return isNamed ? reason : `${host}: ${reason}`;
}

/** Returns what a person can do apart from checking the address and the network, or null if nothing else helps. */
export function findNetworkErrorFix({ errorKind, code }: NetworkErrorDetails): string | null {
  if (errorKind === 'certificate') return certificateFixes[code] ?? trustFix;
  return proxyFixes[code] ?? null;
}

const trustFix =
  'trust the CA certificate (PEM), such as that of a company proxy: set NODE_EXTRA_CA_CERTS=FILE for commands and workers';
const renewFix = 'renew the certificate on the server';
const certificateFixes: Readonly<Record<string, string | undefined>> = {
  CERT_HAS_EXPIRED: renewFix,
  CERT_REVOKED: renewFix,
  CERT_NOT_YET_VALID: 'synchronize the clock of this machine (NTP)',
  ERR_TLS_CERT_ALTNAME_INVALID: 'correct the host, or use a certificate for this host',
  HOSTNAME_MISMATCH: 'correct the host, or use a certificate for this host',
};
