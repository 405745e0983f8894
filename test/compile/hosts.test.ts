// The host and the priority of runs in a file.
import { describe, expect, it } from 'vitest';
import { runDetails } from '../../workflows/details.ts';
import { compile, placesOf, planOf } from './_compile.ts';

/** The connectors are on lines 3 and 4. */
const withHosts = (from: string, to: string, more = '') =>
  [
    'name: test',
    'connectors:',
    `  from: { type: local, path: in${from} }`,
    `  out: { type: local, path: out${to} }`,
    'records: out',
    'nodes:',
    '  - { id: first, type: connector_poll, config: { connector: from } }',
    more,
  ].join('\n');

describe('host', () => {
  it.each([
    ['no host', withHosts('', ''), []],
    ['one host', withHosts(', host: a', ''), []],
    ['the same host twice', withHosts(', host: a', ', host: a'), []],
    ['one host with special characters', withHosts(', host: "Büro 3/links ☕"', ''), []],
    ['a number', withHosts(', host: 7', ''), ['3:40 RL203']],
    ['an empty host', withHosts(', host: ""', ''), ['3:40 RL204']],
    ['a host with two lines', withHosts(', host: "a\\nb"', ''), ['3:40 RL204']],
    ['a host that is too long', withHosts(`, host: ${'a'.repeat(201)}`, ''), ['3:40 RL204']],
    ['two different hosts', withHosts(', host: a', ', host: b'), ['4:40 RL204']],
  ])(
    'the hosts of connectors are accepted, or are refused at their position: %s',
    (_what, text, places) => {
      expect(placesOf(text)).toEqual(places);
    },
  );

  it('a run can have only one host, and the message lists the connectors', () => {
    const { problems } = compile(withHosts(', host: a', ', host: b'));
    expect(problems.find(({ code }) => code === 'RL204')?.message).toBe(
      'a run works on one host, and "from" is on "a"',
    );
  });

  it('the host is in the plan and its hash, and nowhere else', () => {
    const [without, named] = [planOf(withHosts('', '')), planOf(withHosts(', host: a', ''))];
    expect(named).toEqual({ ...without, host: 'a', hash: named.hash });
    expect(named.hash).not.toBe(without.hash);
  });

  it('the host is shown on the page of the run', () => {
    const plan = planOf(withHosts(', host: a', ''));
    const inFlight = { assets: 0, max: 1 };
    const open = { state: 'discovering', totals: {}, steps: {}, failures: [], discovery: null };
    const progress = { ...open, inFlight };
    const page = runDetails(plan, { ...progress, host: 'a' } as never);
    expect(page).toContain('Runs on the host a, and waits if that host has no worker.');
    expect(runDetails(plan, progress as never)).not.toContain('host');
  });
});

it.each([
  ['priority: urgent', []],
  ['priority: normal', []],
  ['priority: bulk', []],
  ['priority: soon', ['8:11 RL204']],
])('the field "%s" causes the problems %j', (line, places) => {
  const text = withHosts('', '', line);
  expect(placesOf(text)).toEqual(places);
  if (places.length === 0) expect(planOf(text).priority).toBe(line.replace('priority: ', ''));
});
