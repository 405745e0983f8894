// Signed storage links. Each link allows one method on one path until it expires, without an API key.
import { createHmac, timingSafeEqual } from 'node:crypto';

export type LinkProblem = 'expired' | 'signature';

export class Links {
  readonly #secret: string;
  readonly #lifeMs: number;

  constructor(secret: string, linkSeconds: number) {
    this.#secret = secret;
    this.#lifeMs = linkSeconds * 1000;
  }

  /** Creates a link to upload (PUT) or download (GET) a storage key, valid from now for the configured lifetime. */
  sign(method: 'PUT' | 'GET', origin: string, key: string, nowMs: number): string {
    const path = `/storage/${method === 'PUT' ? 'upload' : 'download'}/${key}`;
    const expires = Math.ceil(nowMs + this.#lifeMs);
    return `${origin}${path}?expires=${expires}&signature=${this.#signature(method, path, expires)}`;
  }

  /** Returns why a link is refused, if it is. Checks the signature first, since an unsigned expiry proves nothing. */
  check(
    method: string,
    path: string,
    query: URLSearchParams,
    nowMs: number,
  ): LinkProblem | undefined {
    const expires = Number(query.get('expires'));
    const signature = Buffer.from(query.get('signature') ?? '');
    const expectedSignature = Buffer.from(this.#signature(method, path, expires));
    if (
      signature.length !== expectedSignature.length ||
      !timingSafeEqual(signature, expectedSignature)
    )
      return 'signature';
    return nowMs >= expires ? 'expired' : undefined;
  }

  #signature(method: string, path: string, expires: number): string {
    return createHmac('sha256', this.#secret)
      .update(`${method}\n${path}\n${expires}`)
      .digest('hex');
  }
}
