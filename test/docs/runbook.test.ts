// The runbook has a section for each alert and uses only existing commands.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  alertsOf,
  createChartAlerts,
  formatRules,
  runbookPage,
} from '../../scripts/docs/alert-rules.ts';
import { operations } from '../../src/api/operations/index.ts';
import { findUnknownOptions } from '../deploy/_unknown-options.ts';
import { anchorsOf } from './_markdown-links.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}/${runbookPage}`, 'utf8');
const sections = page.split(/^## /m).slice(1);
const alerts = [...alertsOf(''), ...createChartAlerts('')];

describe('the runbook', () => {
  it('the runbook has exactly one section per alert', () => {
    const titles = sections.map((section) => section.split('\n')[0]);
    expect(new Set(titles)).toEqual(new Set(alerts.map(({ name }) => name)));
    expect(titles).toHaveLength(alerts.length);
  });

  it.each(sections.map((section) => [section.split('\n')[0], section] as const))(
    'the section %s contains a meaning, a check and a fix',
    (_title, section) => {
      for (const part of ['**Meaning.**', '**Check.**', '**Fix.**'])
        expect(section).toContain(part);
    },
  );

  it('each alert links to its runbook section', () => {
    const links = [...formatRules().matchAll(/runbook_url: "(\S+)#(\S+)"/g)];
    expect(links).toHaveLength(alertsOf('').length);
    const anchors = anchorsOf(page);
    for (const [, path, anchor = ''] of links) {
      expect(path).toBe(runbookPage);
      expect(anchors).toContain(anchor);
    }
  });
});

/** Command lines in code, in the runbook and in the alerts. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/(?:`|^)renderline ([^`\n…]+)/gm)].map(([, words = '']) => words.trim());
}

const commands = new Set(
  [page, ...alerts.map(({ description }) => description)].flatMap(commandsIn),
);

describe('commands of the runbook', () => {
  it('the runbook contains at least one command', () => expect(commands.size).toBeGreaterThan(15));

  it.each([...commands])('the command %s and its options exist', async (line) => {
    const words = line.split(' ');
    expect(await findUnknownOptions(words)).toEqual([]);
    if (words[0] === 'api') expect(Object.keys(operations)).toContain(words[1]);
  });
});
