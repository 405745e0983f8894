// What no operation of the document makes, set by the sandbox's own controls. A live platform has none of it.
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

  /** Refuses every request in this way, or no longer with null. */
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

  /** A tag, as models carry them. */
  async tag(name: string): Promise<string> {
    return Tag.parse(await this.#post('/tags', { name })).id;
  }

  tagModel(modelId: string, tagIds: readonly string[]): Promise<unknown> {
    return this.#post(`/models/${modelId}/tags`, { tagIds });
  }

  /** Puts a logo into a slot of a variant, or takes it out with null. */
  logo(modelId: string, variantId: string, slotId: string, decalId: string | null) {
    return this.#post(`/models/${modelId}/variants/${variantId}/decal-slots/${slotId}`, {
      decalId,
    });
  }

  /** The rights of the creator of the key. */
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
