// Settings that no documented operation offers, set by the sandbox's controls. A live platform has no controls.
import { expect } from 'vitest';
import { z } from 'zod';

const Tag = z.object({ id: z.string() });

export class Controls {
  readonly #origin: string;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Plan limits: a count, or null for unlimited. */
  limits(values: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#post('/limits', values);
  }

  /** Refuses every request with this error code. Null ends the refusals. */
  deny(code: string | null): Promise<unknown> {
    return this.#post('/access', { deny: code });
  }

  faults(rules: readonly object[]): Promise<unknown> {
    return this.#post('/faults', rules);
  }

  modelStatus(modelId: string, status: string): Promise<unknown> {
    return this.#post(`/models/${modelId}/status`, { status });
  }

  render(id: string, marks: { favorited?: boolean; isPreview?: boolean }): Promise<unknown> {
    return this.#post(`/renders/${id}`, marks);
  }

  template(values: object): Promise<unknown> {
    return this.#post('/templates', values);
  }

  /** Creates a tag that models can have. */
  async tag(name: string): Promise<string> {
    return Tag.parse(await this.#post('/tags', { name })).id;
  }

  tagModel(modelId: string, tagIds: readonly string[]): Promise<unknown> {
    return this.#post(`/models/${modelId}/tags`, { tagIds });
  }

  /** Sets the logo of a variant's slot. Null removes it. */
  logo(modelId: string, variantId: string, slotId: string, decalId: string | null) {
    return this.#post(`/models/${modelId}/variants/${variantId}/decal-slots/${slotId}`, {
      decalId,
    });
  }

  /** Sets the rights of the key's creator. */
  role(role: 'owner' | 'admin' | 'member'): Promise<unknown> {
    return this.#post('/access', { role });
  }

  async #post(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.#origin}/_sandbox${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, `${path}: ${text}`).toBeLessThan(300);
    return JSON.parse(text);
  }
}
