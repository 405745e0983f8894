// Exit codes of commands. They are documented in docs/commands.md, and scripts depend on them.

export const exitCode = {
  done: 0,
  runFailed: 1,
  usage: 2,
  partial: 3,
  auth: 4,
  notFound: 5,
  paused: 6,
  awaitsApproval: 7,
  unreachable: 69,
  later: 75,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
