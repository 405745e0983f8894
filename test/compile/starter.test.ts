import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { starterPipeline } from '../../src/compile/starter.ts';
import { compile, planOf } from './_compile.ts';

const folders = { folder: 'models', out: 'pictures' };

describe('the starter pipeline', () => {
  it('has nothing to complain about, not even a warning', () => {
    const { ok, problems } = compile(starterPipeline);
    expect(problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(ok).toBe(true);
  });

  it('needs only the two folders, and takes them from where the person is', () => {
    const plan = planOf(starterPipeline, folders);
    expect(plan.connectors).toEqual({
      models: { type: 'local', path: '/home/person/models' },
      pictures: { type: 'local', path: '/home/person/pictures' },
    });
  });

  it('goes from files to delivered pictures', () => {
    const activities = planOf(starterPipeline, folders).steps.map(({ activity }) => activity);
    expect(activities.at(0)).toBe('connector_poll');
    expect(activities.at(-1)).toBe('export');
    expect(activities).toContain('render_complete');
  });

  it('makes one still an asset unless told otherwise', () => {
    const render = planOf(starterPipeline, folders).steps.find(({ id }) => id === 'shots');
    expect(render?.config).toMatchObject({
      settings: { renderShots: false, renderVariants: false },
    });
  });

  it('explains each of its nodes', () => {
    const { nodes } = parse(starterPipeline) as { nodes: { id: string }[] };
    for (const { id } of nodes) {
      expect(starterPipeline, id).toMatch(new RegExp(`^ {2}# .+\\n {2}- id: ${id}$`, 'm'));
    }
  });

  it('shows with its commented lines only what would be valid too', () => {
    const lines = starterPipeline.split('\n');
    const shown = lines.map((line) =>
      line.replace(/^( *)# (- \{.*\}|(?:exclude|when|limits): .*)$/, '$1$2'),
    );
    expect(shown).not.toEqual(lines);
    const { problems } = compile(shown.join('\n'));
    expect(problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
  });
});
