// Variables of a process, as Node hands them out.

export type Environment = Readonly<Record<string, string | undefined>>;
