// Tables of colorways: their values, and the messages about invalid tables.
import { describe, expect, it } from 'vitest';
import { readColorwayTable } from '../../src/features/variants/grid/colorway-table.ts';
import { decodeTableText } from '../../src/tables/table-text.ts';
import { textFile } from './_table-file.ts';

const head = 'model,colorway,slot,material';

describe('a table of colorways', () => {
  it.each([
    ['a.csv', `${head}\nchairs/oslo,Oak,wood,Oak oiled\n`],
    [
      'as spreadsheets write it.csv',
      `\uFEFFModel; Colorway ;slot;material;note\r\n"chairs/oslo";Oak;wood;"Oak oiled";x\r\n`,
    ],
    ['with tabs.csv', `slot\tmaterial\tmodel\tcolorway\n\nwood\tOak oiled\tchairs/oslo\tOak`],
    [
      'with rows of commas.csv',
      `,,,\n;;;\n${head}\n,,,\nchairs/oslo,Oak,wood,Oak oiled\n,,,\n , ,"",\n`,
    ],
    [
      'with sep=.csv',
      'sep=;\r\nmodel;colorway;slot;material\r\nchairs/oslo;Oak;wood;Oak oiled\r\n',
    ],
    ['of an old Mac.csv', 'sep=;\rmodel;colorway;slot;material\rchairs/oslo;Oak;wood;Oak oiled\r'],
    ['with "sep=".csv', `"SEP=|"\nmodel|colorway|slot|material\nchairs/oslo|Oak|wood|Oak oiled`],
    [
      'with its own sep= and a mark.csv',
      '\uFEFFsep=\t\nmodel\tcolorway\tslot\tmaterial\nchairs/oslo\tOak\twood\tOak oiled',
    ],
    [
      'a.jsonl',
      '{"model":"chairs/oslo","colorway":"Oak","slot":"wood","material":"Oak oiled"}\n\n',
    ],
  ])('a table is read from %s', async (path, text) => {
    await expect(readColorwayTable(textFile(text, path))).resolves.toEqual([
      {
        model: 'chairs/oslo',
        colorway: 'Oak',
        slot: 'wood',
        material: 'Oak oiled',
        line: expect.any(Number) as number,
      },
    ]);
  });

  const navy = 'White/Midnight Navy/Light Smoke Grey-Fire Red';
  it.each([
    [navy, 'a.csv', navy],
    ['Salt & Pepper @ "Night"', 'a.csv', '"Salt & Pepper @ ""Night"""'],
    ["Kids' #4 \\ é", 'a.csv', "Kids' #4 \\ e\u0301"],
    ['x'.repeat(200), 'a.csv', 'x'.repeat(200)],
    [navy, 'a.jsonl', JSON.stringify(navy)],
    ['Salt & Pepper @ "Night"', 'a.jsonl', JSON.stringify('Salt & Pepper @ "Night"')],
  ])('a table contains the colorway %s as spelled in %s', async (colorway, path, written) => {
    const text = path.endsWith('.csv')
      ? `${head}\nm,${written},wood,Oak`
      : `{"model":"m","colorway":${written},"slot":"wood","material":"Oak"}`;
    await expect(readColorwayTable(textFile(text, path))).resolves.toMatchObject([{ colorway }]);
  });

  it.each([
    [
      'a heading with a Cyrillic letter',
      'a.csv',
      'model,col\u043erway,slot,material\na,b,c,d',
      /has no column colorway; did you mean "col\u043erway"\? \(only a letter of another alphabet differs: U\+043E at position 4 of the other name\); its columns are/,
    ],
    ['a missing column', 'a.csv', 'model,colorway,material\na,b,c', /line 1: has no column slot/],
    [
      'no column for models or tags',
      'a.csv',
      'colorway,slot,material\na,b,c',
      /line 1: has no column model \(or tag\)/,
    ],
    [
      'a row that names both a model and a tag',
      'a.csv',
      `${head},tag\na,Oak,wood,Oak,\na,Oak,leg,Oak,t1`,
      /line 3: has both a model and a tag/,
    ],
    [
      'a row that names neither a model nor a tag',
      'a.csv',
      `${head},tag\n,Oak,wood,Oak,`,
      /line 2: "model" is empty/,
    ],
    [
      'an empty tag',
      'a.jsonl',
      '{"tag":"","colorway":"a","slot":"a","material":"a"}',
      /line 1: "tag" is empty/,
    ],
    [
      'too many rows',
      'a.csv',
      `${head}\n${Array.from({ length: 100_001 }, (_, at) => `m${at},Oak,wood,Oak`).join('\n')}`,
      /has more than 100000 rows/,
    ],
    [
      'too many colorways',
      'a.csv',
      `${head}\n${Array.from({ length: 501 }, (_, at) => `m,c${at},wood,Oak`).join('\n')}`,
      /has 501 colorways; the maximum is 500/,
    ],
    ['no rows', 'a.csv', `${head}\n`, /has no rows/],
    [
      'a duplicate column',
      'a.csv',
      `${head},Material \na,Oak,wood,Oak,Elm`,
      /line 1: has two columns with the heading "material"/,
    ],
    [
      'an invalid line below a sep= line',
      'a.csv',
      'sep=;\nmodel;colorway;slot;material\na;Oak;;Oak',
      /line 3: "slot" is empty/,
    ],
    [
      'an invalid line below rows of commas',
      'a.csv',
      `,,,\n\n${head}\n,,,\na,Oak,,Oak`,
      /line 5: "slot" is empty/,
    ],
    ['an empty cell', 'a.csv', `${head}\na,Oak,,Oak`, /line 2: "slot" is empty/],
    [
      'an error of a formula as the name of a colorway',
      'a.csv',
      `${head}\na,Oak,wood,Oak\na,#N/A,wood,Oak`,
      /line 3: "colorway" contains a formula with the error #N\/A/,
    ],
    [
      'an error of a formula as the name of a model',
      'a.csv',
      `${head}\n#REF!,Oak,wood,Oak`,
      /line 2: "model" contains a formula with the error #REF!/,
    ],
    ['a short row', 'a.csv', `${head}\na,Oak,wood`, /line 2: has no "material"/],
    [
      'a name that is too long',
      'a.csv',
      `${head}\na,Oak,wood,Oak\na,${'x'.repeat(201)},wood,Oak`,
      /line 3: .* cannot be the name of a colorway: it is 201 characters long, but at most 200 are allowed/,
    ],
    [
      'a name with a line break',
      'a.jsonl',
      '{"model":"a","colorway":"a\\nb","slot":"wood","material":"Oak"}',
      /line 1: [^]* cannot be the name of a colorway: it contains a line break/,
    ],
    [
      'a name whose key equals that of another name',
      'a.csv',
      `${head}\na,White/Navy,wood,Oak\nb,White-Navy~0osmh0y,wood,Oak`,
      /line 3: "White-Navy~0osmh0y" and "White\/Navy" result in the same key; rename one of them/,
    ],
    [
      'a duplicate row',
      'a.csv',
      `${head}\na,Oak,wood,Oak\n\na,Oak,wood,Pine`,
      /line 4: "wood" of a in Oak .*line 2/,
    ],
    [
      'an unclosed quote',
      'a.csv',
      `${head}\n"a,Oak,wood,Oak`,
      /the row after line 1: a quote begins a cell and does not end/,
    ],
    ['invalid JSON', 'a.jsonl', '{"model":"a"', /line 1: is not valid JSON/],
    ['a list instead of an object', 'a.jsonl', '[]', /line 1: is not a JSON object/],
    [
      'a value that is not text',
      'a.jsonl',
      '{"model":{},"colorway":"a","slot":"a","material":"a"}',
      /line 1: "model" does not contain text/,
    ],
  ])(
    'a table with %s is refused, and the message describes the error',
    async (_what, path, text, message) => {
      await expect(readColorwayTable(textFile(text, path))).rejects.toThrow(message);
    },
  );

  it('a table may contain rows of tags', async () => {
    const text = `tag,colorway,slot,material\nt1,Oak,wood,Oak\n`;
    const row = { model: '', tag: 't1', colorway: 'Oak', slot: 'wood', material: 'Oak', line: 2 };
    await expect(readColorwayTable(textFile(text, 'a.csv'))).resolves.toEqual([row]);
  });

  it('a table with errors in many lines reports the first few errors and counts the rest', async () => {
    const rows = Array.from({ length: 40 }, () => 'a,,,').join('\n');
    await expect(readColorwayTable(textFile(`${head}\n${rows}`, 'a.csv'))).rejects.toThrow(
      /line 2: .*line 6: .*and 35 more$/,
    );
  });
});

describe('a table with renamed columns', () => {
  const columns = { model: 'Style', colorway: 'Colour name', material: 'Matériau' };
  const row = { model: 'a', colorway: 'Oak', slot: 'wood', material: 'Oak oiled' };

  it.each([
    [
      'a.csv',
      'style , Colour Name,slot,Mate\u0301riau,colorway,material\na,Oak,wood,Oak oiled,x,y',
    ],
    [
      'a.jsonl',
      '{"Style":"a","Colour name":"Oak","slot":"wood","Matériau":"Oak oiled","model":"x"}',
    ],
  ])(
    'renamed columns are read from %s, and columns with the default names are ignored',
    async (path, text) => {
      await expect(readColorwayTable(textFile(text, path), columns)).resolves.toMatchObject([row]);
    },
  );

  it.each([
    ['an empty file', '', /line 1: the file is empty; save the table again/],
    [
      'a missing column',
      'Style,slot,Matériau\na,b,c',
      /line 1: has no column Colour name; its columns are Style/,
    ],
    [
      'no column for models or tags',
      'Colour name,slot,Matériau\na,b,c',
      /line 1: has no column Style \(or tag\)/,
    ],
    ['an empty cell', 'Style,Colour name,slot,Matériau\na,,b,c', /line 2: "Colour name" is empty/],
  ])('messages about %s use the renamed columns', async (_what, text, message) => {
    await expect(readColorwayTable(textFile(text, 'a.csv'), columns)).rejects.toThrow(message);
  });
});

describe('a value in a JSON line', () => {
  it.each(['12E4', '0.10', '1.0', '-0', '12345678901234567890', '1001'])(
    'a value keeps its spelling: %s',
    async (typed) => {
      const text = `{"model":"a\\" 1.0","colorway":"1E5","slot":"s","material":${typed}}`;
      await expect(readColorwayTable(textFile(text, 'a.jsonl'))).resolves.toMatchObject([
        { model: 'a" 1.0', colorway: '1E5', material: typed },
      ]);
    },
  );

  it.each(['true', 'null', '[1]', '012', '.5'])('the value %s is refused', async (typed) => {
    const text = `{"model":"a","colorway":"b","slot":"s","material":${typed}}`;
    await expect(readColorwayTable(textFile(text, 'a.jsonl'))).rejects.toThrow(/line 1: /);
  });
});

describe('the encoding of a table', () => {
  const text = `${head}\r\noslo,Grün,seat,Grün\r\n`;
  const utf16 = (order: 'le' | 'be', mark: string) => {
    const bytes = Buffer.from(`${mark}${text}`, 'utf16le');
    return order === 'le' ? bytes : bytes.swap16();
  };

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a byte order mark', Buffer.from(`\uFEFF${text}`)],
    ['UTF-16LE with a byte order mark', utf16('le', '\uFEFF')],
    ['UTF-16BE with a byte order mark', utf16('be', '\uFEFF')],
  ])('bytes are read as %s', (_what, bytes) => {
    expect(decodeTableText(bytes)).toBe(text);
  });

  it.each([
    [
      'Windows-1252',
      Buffer.from(text, 'latin1'),
      /^line 2: is not UTF-8; it is probably Windows-1252 \("oslo,Grün,seat,Grün"\); save the table as "CSV UTF-8"$/,
    ],
    [
      'Windows-1252, used only in its last line',
      Buffer.from(`${head}\r\na\r\nx,\xE9`, 'latin1'),
      /^line 3: .*"x,é"/,
    ],
    [
      'UTF-16LE without a byte order mark',
      utf16('le', ''),
      /^line 1: is probably UTF-16LE without a byte order mark; save/,
    ],
    [
      'UTF-16BE without a byte order mark',
      utf16('be', ''),
      /^line 1: is probably UTF-16BE without/,
    ],
    [
      'UTF-16 that ends in half a character',
      utf16('le', '\uFEFF').subarray(0, -1),
      /^line 1: has the byte order mark of UTF-16LE but/,
    ],
  ])('a table in %s is refused', (_what, bytes, message) => {
    expect(() => decodeTableText(bytes)).toThrow(message);
  });
});
