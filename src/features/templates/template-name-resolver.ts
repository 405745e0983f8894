// Resolves a template's name or id to its id. Each worker reads the list at most once per minute.

import type { Client } from '../../api/client.ts';
import { readMonotonicMs } from '../../api/clock.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { isSameName } from '../../api/requests/name-comparison.ts';
import { suggestName } from '../../api/requests/nearest-name.ts';
import { CachedList } from '../../engine/discovery/cached-list.ts';
import { sharePerPoller } from '../../engine/polling/poller-context.ts';
import { removeDuplicateIds } from '../../engine/remove-duplicate-ids.ts';
import type { KnownCause } from '../../failures/define.ts';
import { createIdMatcher } from '../../store/search/id-spelling.ts';
import { templateFailures } from './failures.ts';

interface Template {
  templateId: string;
  name?: string | undefined;
}

export type TemplateLookup = { templateId: string } | { failure: KnownCause; message: string };

const maxNamesShown = 20;

export class TemplateNameResolver {
  readonly #client: Client;
  readonly #templates: CachedList<Template[]>;

  constructor(client: Client, now: () => number = readMonotonicMs) {
    this.#client = client;
    this.#templates = new CachedList(now);
  }

  /** Finds a template. An id takes precedence over a name. A name that several templates share is ambiguous. */
  async resolve(nameOrId: string, requests: RequestCounter): Promise<TemplateLookup> {
    const templates = await this.list(requests);
    const isId = createIdMatcher(nameOrId);
    const exactMatch = templates.find(({ templateId }) => isId(templateId));
    if (exactMatch) return { templateId: exactMatch.templateId };
    const lowerCaseName = nameOrId.toLowerCase();
    const matches = templates.filter(
      ({ name }) => name !== undefined && isSameName(name.toLowerCase(), lowerCaseName),
    );
    const [only, ...others] = matches;
    if (only && others.length === 0) return { templateId: only.templateId };
    if (only) {
      const ids = matches
        .map(({ templateId }) => templateId)
        .slice(0, maxNamesShown)
        .join(', ');
      return {
        failure: templateFailures.TEMPLATE_AMBIGUOUS,
        message: `${matches.length} templates are named "${nameOrId}"; use the id of one: ${ids}`,
      };
    }
    const names = templates.flatMap(({ name }) => name ?? []);
    const shownNames = names.slice(0, maxNamesShown).map((name) => `"${name}"`);
    const suggestion = suggestName(nameOrId, names);
    return {
      failure: templateFailures.TEMPLATE_NOT_FOUND,
      message: `no template is named "${nameOrId}"; ${suggestion === null ? '' : `${suggestion} `}available templates: ${shownNames.join(', ') || 'none'}`,
    };
  }

  list(requests: RequestCounter): Promise<Template[]> {
    return this.#templates.get(async () => {
      const options = { requestCounter: requests, priority: 'status' as const };
      const { templates } = await this.#client.listTemplates({}, options);
      return removeDuplicateIds(templates, ({ templateId }) => templateId);
    });
  }
}

export const templateNameResolver = sharePerPoller(
  ({ client, monotonicNow }) => new TemplateNameResolver(client, monotonicNow),
);
