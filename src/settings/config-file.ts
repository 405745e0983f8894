// Reads renderline.yaml, which contains settings but no secrets.
import { statSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { formatIssues } from '../api/format-issue.ts';
import { findRouteProblem } from '../api/requests/named-routes.ts';
import { truncate } from '../api/responses/plain-text.ts';
import { ConfigError } from './config-error.ts';
import { readBoundedFile } from './read-bounded-file.ts';
import { findExcessiveNesting } from './yaml-nesting.ts';

export const maxFileBytes = 16_384;

const fieldName = z.string().min(1).max(100);
/** Names of people as the proxy sends them. A leading `*` matches any beginning of a name, and `*` alone everybody. */
const people = z.array(z.string().min(1).max(200)).max(200).optional();
const addressRange = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  'must be an IP address or a range such as 10.0.0.0/24',
);

export const ConfigFile = z.strictObject({
  baseUrl: z.string().optional(),
  taskQueue: z.string().min(1).optional(),
  rateLimit: z.int().min(1).optional(),
  temporalUi: z.string().optional(),
  wakeUpsUrl: z.string().optional(),
  /** The pages of `renderline ui` for a team. */
  ui: z
    .strictObject({
      origin: z.url(),
      user: z
        .strictObject({
          header: z.string().regex(/^[\w-]{1,100}$/),
          from: z.array(addressRange).min(1).max(20),
        })
        .optional(),
      roles: z.strictObject({ look: people, decide: people, start: people }).optional(),
    })
    .optional(),
  plugins: z.array(z.string().min(1).max(300)).max(20).optional(),
  /** Channels by name. The compiler checks their fields. */
  channels: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  operations: z
    .record(
      z.string(),
      z.string(
        'must be a method and a path, such as POST /files; only pipeline files may add a body',
      ),
    )
    .optional(),
  fields: z
    .strictObject({
      variant: z
        .strictObject({
          id: fieldName.optional(),
          name: fieldName.optional(),
          materials: fieldName.optional(),
          slot: fieldName.optional(),
          material: fieldName.optional(),
        })
        .optional(),
      slot: z
        .strictObject({
          id: fieldName.optional(),
          name: fieldName.optional(),
          logos: fieldName.optional(),
        })
        .optional(),
    })
    .optional(),
});
export type ConfigFile = z.infer<typeof ConfigFile>;

const secretNames = new Set(['apikey', 'api_key', 'api-key', 'key', 'token', 'secret']);

/** Reads and checks a renderline.yaml. @throws ConfigError that states the file, the setting and the problem */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  if (statSync(path).isDirectory()) {
    const fix =
      'Replace the folder with the file, or delete the folder. Docker creates a folder if a mounted file is missing.';
    throw new ConfigError(`${path} is a folder, not a file.`, fix);
  }
  const text = readBoundedFile(path, maxFileBytes);
  if (text === null) {
    throw new ConfigError(
      `${path} is larger than 16 KiB.`,
      'Shorten the file: it should contain only a few settings.',
    );
  }
  const content = parseContent(text, path);
  assertNoSecrets(path, content);
  const result = ConfigFile.safeParse(content);
  if (result.success) {
    await assertRoutes(path, result.data.operations ?? {});
    return result.data;
  }
  throw new ConfigError(
    `${path}: ${truncate(formatIssues(result.error.issues, 'the file'), maxCharsShown)}`,
    `Known settings: ${Object.keys(ConfigFile.shape).join(', ')}.`,
  );
}

const maxCharsShown = 500;

function parseContent(text: string, path: string): unknown {
  const invalid = (reason: string) =>
    new ConfigError(
      `${path} is not valid YAML: ${truncate(reason, maxCharsShown)}`,
      `Correct ${path}.`,
    );
  const refusal = findExcessiveNesting(text);
  if (refusal !== null)
    throw invalid(`it ${refusal.excess === 'depth' ? 'is' : 'has'} ${refusal.message}`);
  try {
    const document = parseDocument(text);
    const problem = document.errors[0] ?? document.warnings[0];
    if (problem === undefined) return document.toJS() ?? {};
    // The parser goes on to quote the line, which may contain a secret.
    const [reason = ''] = problem.message.split(':\n', 1);
    throw invalid(reason);
  } catch (error) {
    // The parser throws this for unknown aliases and for aliases that expand too much.
    if (error instanceof ReferenceError) throw invalid(error.message);
    throw error;
  }
}

async function assertRoutes(
  path: string,
  routesById: Readonly<Record<string, string>>,
): Promise<void> {
  if (Object.keys(routesById).length === 0) return;
  // The operations are loaded only if needed, because loading them takes time.
  const { operations } = await import('../api/operations/index.ts');
  for (const [id, route] of Object.entries(routesById)) {
    const problem = findRouteProblem(id, route, operations);
    if (problem !== null)
      throw new ConfigError(`${path}: operations.${id}: ${problem.message}.`, problem.fix);
  }
}

function assertNoSecrets(path: string, content: unknown): void {
  if (typeof content !== 'object' || content === null) return;
  const name = Object.keys(content).find((key) => secretNames.has(key.toLowerCase()));
  if (name === undefined) return;
  throw new ConfigError(
    `${path} contains "${name}"; secrets are not allowed in this file.`,
    'Remove the secret, and set RENDERLINE_API_KEY, or set RENDERLINE_API_KEY_FILE to the path of a key file.',
  );
}
