// Finds the paths of undocumented operations in the platform's own openapi.json.
import { z } from 'zod';
import type { Platform } from './_platform.ts';

const Description = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ operationId: z.string().optional() })),
  ),
});

export class OpenApi {
  readonly #platform: Platform;
  #paths: Promise<z.output<typeof Description>['paths']> | undefined;

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  get paths() {
    this.#paths ??= this.#platform
      .send('GET /openapi.json', { key: null })
      .then(({ body }) => Description.parse(body).paths);
    return this.#paths;
  }

  /** `METHOD /path?query` for `operationId id id?query`; ids fill the path parameters in order. */
  async routeOf(call: string): Promise<string> {
    const [, operationId, ids = '', query = ''] = /^(\w+)((?: [^ ?]+)*) ?(\?.*)?$/.exec(call) ?? [];
    const values = ids.split(' ').filter((id) => id !== '');
    for (const [path, operations] of Object.entries(await this.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        if (operation.operationId !== operationId) continue;
        const filled = path.replaceAll(/\{\w+\}/g, () => values.shift() ?? '');
        return `${method.toUpperCase()} ${filled}${query}`;
      }
    }
    throw new Error(`The platform's openapi.json describes no operation ${operationId}.`);
  }
}
