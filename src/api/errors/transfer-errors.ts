// Errors of transfers to and from object storage. Messages contain hosts but never queries.

/** Base class of transfer errors that are not network errors. */
export class TransferError extends Error {
  override name = 'TransferError';
}

/** The source file is not the expected version, or changed while it was sent. */
export class SourceChangedError extends TransferError {
  override name = 'SourceChangedError';

  constructor(path: string, detail: string) {
    super(`${path} changed ${detail}; the file is processed again when it has stopped changing`);
  }
}

/** The signed URL is refused, because it has expired (after about an hour) or was already used. A new one is needed. */
export class LinkExpiredError extends TransferError {
  override name = 'LinkExpiredError';
  readonly host: string;
  readonly status: number;

  constructor(host: string, status: number) {
    super(
      `${host} refused the signed link (status ${status}); the link has expired; request a new link`,
    );
    this.host = host;
    this.status = status;
  }
}

export class TransferRefusedError extends TransferError {
  override name = 'TransferRefusedError';

  constructor(host: string, status: number, detail: string) {
    super(`${host}: ${detail} (status ${status})`);
  }
}

export class TransferTooLargeError extends TransferError {
  override name = 'TransferTooLargeError';

  constructor(host: string, maxBytes: number) {
    super(`${host} sends more than ${maxBytes} bytes, the maximum for this file`);
  }
}

/** An external URL is refused, for example because its address is private or it is not https. */
export class ForbiddenAddressError extends TransferError {
  override name = 'ForbiddenAddressError';
  /** SDKs of object stores keep only the code of an error. */
  readonly code = 'ADDRESS_REFUSED';

  constructor(host: string, reason: string) {
    super(`${host} is refused: ${reason}`);
  }
}
