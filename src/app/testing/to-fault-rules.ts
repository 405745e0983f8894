import type { Fault } from '../../compile/test-file/test-file.ts';
import { toDurationMs } from '../../language/duration.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';

const failureMessage = 'Failure requested by the test.';

/** Fixed default durations, so that a run sends the same requests each time. */
const defaultDurations = [
  { model: '**', do: { durationMs: 3_000 } },
  { render: '**', do: { durationMs: 5_000 } },
  { capture: '**', do: { durationMs: 5_000 } },
  { colorway: '**', do: { durationMs: 4_000 } },
];

/** Returns rules as the body of `POST /_sandbox/faults`. Skips worker faults, which do not concern the platform. */
export function toFaultRules(faults: readonly Fault[]): object[] {
  return [...faults.flatMap((fault) => toRule(fault) ?? []), ...defaultDurations];
}

function toRule(fault: Fault): object | null {
  const { model, upload, render, capture, colorway, request, notification } = fault;
  const { nth, every, times } = fault;
  const occurrence = omitUndefined({ nth, every, times });
  if (request !== undefined) {
    // `*` matches every method and path.
    return { match: request === '*' ? '* /**' : request, ...occurrence, do: requestEffect(fault) };
  }
  if (notification !== undefined) {
    return { event: notification, ...occurrence, do: toNoticeEffect(fault) };
  }
  if (upload !== undefined) {
    const { answers: status = 500 } = fault;
    return { upload: toPlatformGlob(upload), ...occurrence, do: { status } };
  }
  const globsBySubject = omitUndefined({ model, render, capture, colorway });
  const [subject, glob] = Object.entries(globsBySubject)[0] ?? [];
  if (subject === undefined || glob === undefined) return null;
  return { [subject]: toPlatformGlob(glob), ...occurrence, do: workEffect(fault) };
}

/** Creates a glob for names on the platform: `living/lamp` may be `living_lamp` there, with or without an extension. */
function toPlatformGlob(glob: string): string {
  const paths = expandAlternatives(glob);
  const names = new Set(paths.flatMap((path) => [path, path.replaceAll('/', '_')]));
  return `{${[...names].flatMap((name) => [name, `${name}.*`]).join(',')}}`;
}

/** Expands braces, which cannot be nested. For example, `{a,b}/c` becomes a/c and b/c. */
function expandAlternatives(glob: string): string[] {
  const [braces, inside = ''] = /\{([^{}]*)\}/.exec(glob) ?? [];
  if (braces === undefined) return [glob];
  return inside.split(',').flatMap((part) => expandAlternatives(glob.replace(braces, () => part)));
}

function workEffect({ takes, fails }: Fault): object {
  const failure = fails === true ? failureMessage : fails;
  return omitUndefined({ durationMs: takes && toDurationMs(takes), failure });
}

function toNoticeEffect({ lost, late, repeated: repeat }: Fault): object {
  const drop = lost === undefined ? undefined : true;
  return omitUndefined({ drop, delayMs: late && toDurationMs(late), repeat });
}

function requestEffect(fault: Fault): object {
  const { takes, answers: status, code, done, rateLimited, lost, omits: leaveOut } = fault;
  if (rateLimited) return { rateLimited };
  if (lost !== undefined) return { reset: lost === 'request' ? 'before' : 'after' };
  if (leaveOut !== undefined) return { leaveOut };
  if (status !== undefined && done) return { commitThenStatus: status };
  if (status !== undefined) return omitUndefined({ status, code });
  return { delayMs: takes === undefined ? 0 : toDurationMs(takes) };
}
