export interface Family {
  /** Section of the platform's reference. */
  readonly section: string;
  readonly title: string;
}

export const operationFamilies: readonly Family[] = [
  { section: '4.1', title: 'Identity and usage' },
  { section: '4.2', title: 'Models' },
  { section: '4.3', title: 'Projects' },
  { section: '4.4', title: 'Renders' },
  { section: '4.5', title: 'Templates' },
  { section: '4.6', title: 'Webhooks' },
  { section: '4.7', title: 'Unified jobs' },
  { section: '4.8', title: 'Pipelines and colorways' },
  { section: '4.9', title: 'Props, decals, materials' },
  { section: '4.10', title: 'Library management' },
  { section: '4.11', title: 'Properties and asset search' },
  { section: '4.12', title: 'Variants and decal slots' },
  { section: '4.13', title: 'Production files' },
];

/** Returns the family of an operation. @throws RangeError if its section is not in `families` */
export function familyOf({ id, section }: { id: string; section: string }): Family {
  const family = operationFamilies.find((entry) => entry.section === section);
  if (family !== undefined) return family;
  throw new RangeError(`section ${section} of operation ${id} has no entry in \`families\``);
}
