// Tests the allowed modes of a key file, including files that a cluster mounts for an unprivileged user.
import { expect, test } from 'vitest';
import { isReadableByOthers } from '../../src/settings/secrets/key-file-mode.ts';

test.each([
  ['our own, private', 1000, 0o600, 1000, false],
  ['our own, readable by a group', 1000, 0o640, 1000, true],
  ['our own, readable by all users', 1000, 0o644, 1000, true],
  ["root's, read by the group of the pod", 0, 0o440, 1000, false],
  ["root's, group-writable", 0, 0o660, 1000, true],
  ["root's, readable by all users", 0, 0o444, 1000, true],
  ["root's, and we are root", 0, 0o640, 0, true],
  ["another user's, readable by a group", 7, 0o640, 1000, true],
])('isReadableByOthers() decides about a key file: %s', (_what, owner, mode, us, expected) => {
  expect(isReadableByOthers({ uid: owner, mode: 0o100000 | mode }, us)).toBe(expected);
});
