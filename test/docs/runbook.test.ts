// Tests that the runbook has a section for each alert and uses only existing commands.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { operations } from '../../src/api/operations/index.ts';
import { alertsOf, chartAlerts, rulesText, runbookPage } from '../../src/docs/alert-rules.ts';
import { findUnknownOptions } from '../deploy/_unknown-options.ts';
import { anchorsOf } from './_markdown-links.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(`${root}/${runbookPage}`, 'utf8');
const sections = page.split(/^## /m).slice(1);
const alerts = [...alertsOf(''), ...chartAlerts('')];

describe('the runbook', () => {
  it('has a section for each alert, and none for what is no alert', () => {
    const titles = sections.map((section) => section.split('\n')[0]);
    expect(new Set(titles)).toEqual(new Set(alerts.map(({ name }) => name)));
    expect(titles).toHaveLength(alerts.length);
  });

  it.each(sections.map((section) => [section.split('\n')[0], section] as const))(
    '%s says what it means, where to look and what to do',
    (_title, section) => {
      for (const part of ['**Means.**', '**Look.**', '**Do.**']) expect(section).toContain(part);
    },
  );

  it('is where the alerts lead', () => {
    const links = [...rulesText().matchAll(/runbook_url: "(\S+)#(\S+)"/g)];
    expect(links).toHaveLength(alertsOf('').length);
    const anchors = anchorsOf(page);
    for (const [, path, anchor = ''] of links) {
      expect(path).toBe(runbookPage);
      expect(anchors).toContain(anchor);
    }
  });
});

/** Command lines in code, of the runbook and of the alerts themselves. */
function commandsIn(text: string): string[] {
  return [...text.matchAll(/(?:`|^)renderline ([^`\n…]+)/gm)].map(([, words = '']) => words.trim());
}

const commands = new Set(
  [page, ...alerts.map(({ description }) => description)].flatMap(commandsIn),
);

describe('a command that somebody is told to type', () => {
  it('is found', () => expect(commands.size).toBeGreaterThan(15));

  it.each([...commands])('%s', async (line) => {
    const words = line.split(' ');
    expect(await findUnknownOptions(words)).toEqual([]);
    if (words[0] === 'api') expect(Object.keys(operations)).toContain(words[1]);
  });
});
