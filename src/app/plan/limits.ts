import { capsOf, type Limits, Limits as limitsOfFile } from '../../compile/pipeline.ts';
import { openConnector } from '../../connectors/index.ts';
import { type Excess, formatExcess } from '../../engine/cost/limit-excess.ts';
import { commandFailures } from '../../failures/commands.ts';
import { runFailures } from '../../failures/runs.ts';
import { findExceededLimits } from '../../features/inspect-files.ts';
import { parseSizeBytes } from '../../language/byte-size.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { RenderlineError } from '../renderline-error.ts';
import { type Preview, previewAssets } from './preview-assets.ts';

const fileOnlyLimits: readonly string[] = ['inFlight', 'withdrawn'];

/** Limits by name, as text: `{ requests: '1000', storage: '2GB' }`. */
export type LimitOptions = Readonly<Record<string, string>>;

/** Merges the limits of the file and of one run. The stricter ones apply. @throws RenderlineError for invalid limits */
export function mergeLimits(ofFile: Limits, ofRun: LimitOptions = {}): Limits {
  const limits: Record<string, number | string> = { ...omitUndefined(ofFile) };
  for (const [name, text] of Object.entries(ofRun)) {
    const value = parseLimit(name, text);
    const isAllowed = !fileOnlyLimits.includes(name);
    if (!isAllowed || !limitsOfFile.safeParse({ [name]: value }).success)
      throw badLimitError(name, text);
    const currentLimit = limits[name];
    if (currentLimit === undefined || toNumber(value) < toNumber(currentLimit))
      limits[name] = value;
  }
  return capsOf({ limits: limitsOfFile.parse(limits) });
}

/** Marks the exceeded limits that were given for the run. */
export function markLimitsOfRun(excess: readonly Excess[], ofRun: LimitOptions = {}): Excess[] {
  return excess.map((item) => {
    const text = ofRun[item.limit];
    const isOfRun = text !== undefined && toNumber(parseLimit(item.limit, text)) === item.allowed;
    return isOfRun ? { ...item, ofRun: true } : item;
  });
}

function parseLimit(name: string, text: string): number | string {
  return name === 'storage' ? text : Number(text);
}

function toNumber(value: number | string): number {
  return typeof value === 'string' ? parseSizeBytes(value) : value;
}

function badLimitError(name: string, text: string): RenderlineError {
  const message = `--limit ${name}=${text} is not a valid limit.`;
  const fix =
    'For example: --limit requests=1000 --limit renders=50 --limit storage=2GB (renders, models, projects, requests, storage)';
  return new RenderlineError(commandFailures.BAD_NUMBER, message, { fix });
}

/**
 * Checks the limits of the pipeline. Discovers the assets only if there are limits and `knownPreview` is null.
 * @param limits limits of the file and of the run
 * @param ofRun limits of the run, which the error then marks
 * @throws RenderlineError if the run would exceed a limit
 */
export async function assertWithinLimits(
  app: App,
  plan: Plan,
  { limits, ofRun }: { limits: Limits; ofRun?: LimitOptions | undefined },
  knownPreview: Preview | null = null,
): Promise<void> {
  if (Object.keys(limits).length === 0) return;
  const preview = knownPreview ?? (await previewAssets(app, plan));
  const rateLimit = (await app.config()).rateLimit.value;
  const deps = { open: openConnector, signal: app.signal, store: preview.store };
  const exceededLimits = await findExceededLimits(plan, preview, { limits, rateLimit }, deps);
  const excess = markLimitsOfRun(exceededLimits, ofRun);
  if (excess.length === 0) return;
  const isOnlyOfRun = excess.every((item) => item.ofRun);
  throw new RenderlineError(
    runFailures.LIMIT_EXCEEDED,
    `The run would exceed its limits:\n${formatExcess(excess)}`,
    {
      ...(isOnlyOfRun && { fix: "Raise --limit, or reduce the run's work." }),
      details: { excess },
    },
  );
}
