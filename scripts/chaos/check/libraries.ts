// I1 and I4 for library items: each file became one prop, decal or material with its content, which the record
// mentions.
import { findLeftovers } from './deliveries.ts';
import type { Evidence, LibraryEvidence, Row, Violation } from './evidence.ts';
import { contentOf } from './platform-rows.ts';
import { namedIds, possibleDuplicatesIn } from './possible-duplicates.ts';

const creatingOperations = ['createProps', 'createDecals', 'createMaterial'];

export function checkLibraries({
  platformState,
  libraries,
  runs,
  openRuns,
}: Evidence): Violation[] {
  const possibleDuplicates = possibleDuplicatesIn(runs).filter(({ operation }) =>
    creatingOperations.includes(operation),
  );
  const toViolations = (invariant: string, problems: readonly string[]) =>
    problems.map((problem) => ({ invariant, what: problem }));
  return libraries.flatMap((library) => [
    ...[...library.sources].flatMap(([key, contents]) => {
      const items = platformState.items.filter(
        ({ name }) => lastPart(String(name)) === lastPart(key),
      );
      const reportedIds = namedIds(possibleDuplicates.filter((duplicate) => duplicate.key === key));
      const unreportedItems =
        reportedIds === null ? [] : items.filter(({ id }) => !reportedIds.has(id));
      return [
        ...toViolations(
          'I1',
          unreportedItems.length > 1
            ? [`${unreportedItems.length} items for ${key}: ${idsOf(unreportedItems)}`]
            : [],
        ),
        ...toViolations(
          'I4',
          recordProblems(library, { key, content: contents.at(-1) ?? '', items }),
        ),
      ];
    }),
    ...toViolations('I4', findLeftovers(library, openRuns)),
  ]);
}

function recordProblems(
  { name, records }: LibraryEvidence,
  { key, content, items }: { key: string; content: string; items: readonly Row[] },
): string[] {
  const ofKey = records.filter((record) => record.key === key);
  const [record] = ofKey;
  if (!record) return [`${name}/${key}: lost: it has no record in the end`];
  if (ofKey.length > 1) return [`${name}/${key}: ${ofKey.length} records`];
  const { propId, decalId, materialId } = record.platformIds;
  const id = propId ?? decalId ?? materialId;
  const item = items.find((row) => row.id === id && !row.deleted);
  if (!item) return [`${name}/${key}: item ${JSON.stringify(id)} is not on the platform`];
  return contentOfItem(item) === content
    ? []
    : [`${name}/${key}: ${item.id} is of another content`];
}

/** Returns the SHA-256 of the file of a prop or decal, or of the only texture of a material. */
function contentOfItem(item: Row): string {
  const { textures } = item as { textures?: { diffuse?: Row } };
  return contentOf(textures?.diffuse ?? item);
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function idsOf(rows: readonly Row[]): string {
  return rows.map(({ id }) => id).join(', ');
}
