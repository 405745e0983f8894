// Rewrites the parts of a workbook that the reader of workbooks would refuse or misread, and finds what it overlooks.

/**
 * CommonJS for the process of `read-xlsx.ts`. `withUsualPaths(bytes, fflate)`, then `repairWorkbook(bytes, fflate)`
 * return the bytes of a workbook that the reader understands. The reader returns errors, and formulas without a result, as empty cells. It overlooks that dates
 * count from 1904 if the workbook says "true". It refuses cells without an address, although ECMA-376 makes the address
 * optional. It reads a time without a day as a time of 1899.
 */
export const repairScript = String.raw`
const uncomputed = /<(\w+:)?c\b((?:(?!\bt=)[^>])*)>\s*<\1f\b(?:[^>]*\/>|[^>]*>[^<]*<\/\1f>)\s*(?:<\1v\s*\/>|<\1v><\/\1v>)?\s*<\/\1c>/g;
const lacksAddress = /<(?:\w+:)?c(?=[\s\/>])(?![^>]*\sr=)/;
const number = /<((?:\w+:)?)c(\s[^>]*[^>\/])>\s*(?:<\1f\b(?:[^>]*\/>|[^>]*>[^<]*<\/\1f>)\s*)?<\1v>([\d.eE+-]+)<\/\1v>\s*<\/\1c>/g;

function attributeOf(attributes, name) {
  return new RegExp('\\s' + name + '=(["\'])(.*?)\\1', 's').exec(attributes)?.[2];
}

/** Returns the number of a column: 1 for A, 28 for AB. */
function columnNumber(letters) {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}

function columnLetters(number) {
  const rest = Math.floor((number - 1) / 26);
  return (rest === 0 ? '' : columnLetters(rest)) + String.fromCharCode(65 + ((number - 1) % 26));
}

/** Gives each cell its address. A cell without one follows the cell, or the row, before it. */
function withAddresses(text) {
  let row = 0;
  let column = 0;
  return text.replace(/<((?:\w+:)?)(row|c)(?=[\s\/>])([^>]*)>/g, (whole, prefix, name, attributes) => {
    const given = attributeOf(attributes, 'r');
    if (name === 'row') {
      row = given === undefined ? row + 1 : Number(given);
      column = 0;
      return whole;
    }
    const [, letters, digits] = /^([A-Z]+)(\d+)$/.exec(given ?? '') ?? [];
    column = letters === undefined ? column + 1 : columnNumber(letters);
    if (digits !== undefined) row = Number(digits);
    return given === undefined ? '<' + prefix + 'c r="' + columnLetters(column) + row + '"' + attributes + '>' : whole;
  });
}

const builtInTimes = { 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss', 45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mmss.0' };
const isZeros = /^00+$/;
const quotedOrColour = /"[^"]*"|\\.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi;

/** Returns the formats of times without a day, and of numbers with leading zeros, by the number of the style. */
function shownFormats(styles) {
  const codes = { ...builtInTimes };
  for (const [, attributes] of styles.matchAll(/<(?:\w+:)?numFmt(\s[^>]*)>/g)) {
    const code = (attributeOf(attributes, 'formatCode') ?? '').replaceAll('&quot;', '"');
    codes[attributeOf(attributes, 'numFmtId')] = code.split(';')[0];
  }
  const [cellStyles = ''] = /<((?:\w+:)?)cellXfs\b[^]*?<\/\1cellXfs>/.exec(styles) ?? [];
  return [...cellStyles.matchAll(/<(?:\w+:)?xf(\s[^>]*)>/g)].map(([, attributes]) => {
    const code = codes[attributeOf(attributes, 'numFmtId')] ?? '';
    const plain = code.replace(quotedOrColour, '').replace(/am\/pm|a\/p/i, '');
    if (isZeros.test(code)) return code;
    const isTime = /^[hms\[\]:.,\s0-]*$/i.test(plain) && /[hs]|\[m/i.test(plain) && !/mmm|(?<!s[.,]0*)0/i.test(plain);
    return isTime ? code : undefined;
  });
}

/** Returns the text that a spreadsheet shows for a time in days. Hidden fractions are rounded to the second. */
function timeText(days, code) {
  const digits = /s[.,](0+)/i.exec(code)?.[1].length ?? 0;
  const seconds = Number((days * 86400).toFixed(digits));
  const total = { h: Math.floor(seconds / 3600), m: Math.floor(seconds / 60), s: Math.floor(seconds) };
  const isMorning = total.h % 24 < 12;
  const half = /am\/pm|a\/p/i.test(code.replace(quotedOrColour, ''));
  const shown = { h: half ? ((total.h + 11) % 12) + 1 : total.h % 24, m: total.m % 60, s: total.s % 60 };
  const padded = (number, token) => String(number).padStart(Math.min(token.length, 2), '0');
  const token = /"([^"]*)"|\\(.)|\[(h+|m+|s+)\]|\[[^\]]*\]|(am\/pm|a\/p)|(h+|m+|s+)|(?<=s[.,])(0+)/gi;
  return code.replace(token, (whole, quoted, escaped, elapsed, halfDay, unit, fraction) => {
    if (elapsed) return padded(total[elapsed[0].toLowerCase()], elapsed);
    if (halfDay) return halfDay.split('/')[isMorning ? 0 : 1];
    if (unit) return padded(shown[unit[0].toLowerCase()], unit);
    return fraction ? seconds.toFixed(digits).slice(-digits) : (quoted ?? escaped ?? '');
  });
}

/** Returns the text that a spreadsheet shows, or null for a value to which the format does not apply. */
function shownText(value, code) {
  if (isZeros.test(code)) return /^\d+$/.test(value) ? value.padStart(code.length, '0') : null;
  const days = Number(value);
  // A time of at least a day has a date, unless its format counts hours from zero.
  return days >= 0 && (days < 1 || /\[(?:h+|m+|s+)\]/i.test(code)) ? timeText(days, code) : null;
}

/** Writes times without a day, and numbers with leading zeros, as text. */
function withShownText(text, formats) {
  return text.replace(number, (whole, prefix, attributes, value) => {
    const code = formats[Number(attributeOf(attributes, 's'))];
    if (code === undefined || (attributeOf(attributes, 't') ?? 'n') !== 'n') return whole;
    const shown = shownText(value, code);
    if (shown === null) return whole;
    const kept = attributes.replace(/\st="n"/, '');
    return '<' + prefix + 'c' + kept + ' t="str"><' + prefix + 'v>' + shown + '</' + prefix + 'v></' + prefix + 'c>';
  });
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const unescape = (text) =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) =>
    name ? (entities[name] ?? whole) : String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );

/** Returns the relationships of a part (of the file if the path is empty), with the paths of their targets. */
function relationshipsOf(part, read) {
  const [, folder, name] = /^((?:.*\/)?)(.*)$/.exec(part);
  const links = read(folder + '_rels/' + name + '.rels').match(/<(?:\w+:)?Relationship\s[^>]*>/g) ?? [];
  return links.map((link) => {
    const target = unescape(attributeOf(link, 'Target') ?? '');
    const path = new URL(target, 'zip:///' + part).pathname.slice(1);
    return { id: attributeOf(link, 'Id'), type: attributeOf(link, 'Type') ?? '', target, path };
  });
}

const usualPath = /^xl\/(?:worksheets\/[^/]+|styles|sharedStrings)\.xml$/;

/**
 * Returns the workbook with its parts at the paths that Excel uses, the only ones that the reader and these repairs
 * know. In Open XML, relationships may name any paths, and paths may differ in case.
 */
function withUsualPaths(bytes, { unzipSync, zipSync }) {
  const names = new Map();
  unzipSync(bytes, { filter: ({ name }) => Boolean(names.set(name.toLowerCase(), name)) && false });
  const nameOf = (path) => names.get(path.toLowerCase());
  const read = (path) =>
    Buffer.from(unzipSync(bytes, { filter: ({ name }) => name === nameOf(path) })[nameOf(path)] ?? '').toString();
  const [workbook] = relationshipsOf('', read).filter(({ type }) => type.endsWith('/officeDocument'));
  const workbookPath = workbook?.path ?? 'xl/workbook.xml';
  const links = relationshipsOf(workbookPath, read).filter(({ type }) => /\/(?:worksheet|styles|sharedStrings)$/.test(type));
  const isUsual = ({ path, target }) =>
    usualPath.test(path) && ('/' + path).endsWith(target) && [path, undefined].includes(nameOf(path));
  if (nameOf(workbookPath) === 'xl/workbook.xml' && links.every(isUsual)) return bytes;
  const parts = unzipSync(bytes);
  const moved = { 'xl/workbook.xml': parts[nameOf(workbookPath)] };
  const moves = links.map(({ id, type, path }, at) => {
    const [kind] = /[^/]*$/.exec(type);
    const target = kind === 'worksheet' ? 'worksheets/part' + at + '.xml' : kind + '.xml';
    moved['xl/' + target] = parts[nameOf(path)];
    return '<Relationship Id="' + id + '" Type="' + type + '" Target="' + target + '"/>';
  });
  moved['xl/_rels/workbook.xml.rels'] = Buffer.from('<Relationships>' + moves.join('') + '</Relationships>');
  const found = Object.entries(moved).filter(([, part]) => part !== undefined);
  return zipSync(Object.fromEntries(found), { level: 0 });
}

/**
 * Finds the sheet with the name, or else the first one that is shown. Returns its number from 1 (0 if there is none), the
 * names of all sheets, and its cells that are merged over several rows, with rows and column from 0.
 */
function findSheet(bytes, wantedName, { unzipSync }) {
  const read = (path) => unzipSync(bytes, { filter: ({ name }) => name === path })[path] ?? Buffer.alloc(0);
  const sheets = [...Buffer.from(read('xl/workbook.xml')).toString().matchAll(/<(?:\w+:)?sheet(\s[^>]*)>/g)];
  const names = sheets.map(([, attributes]) => unescape(attributeOf(attributes, 'name') ?? ''));
  const isShown = ([, attributes]) => !/hidden/i.test(attributeOf(attributes, 'state') ?? '');
  const firstShown = Math.max(0, sheets.findIndex(isShown));
  const index = wantedName === undefined ? firstShown : names.indexOf(wantedName);
  const id = attributeOf(sheets[index]?.[1] ?? '', '\\w+:id');
  const links = Buffer.from(read('xl/_rels/workbook.xml.rels')).toString().match(/<(?:\w+:)?Relationship\s[^>]*>/g) ?? [];
  const target = attributeOf(links.find((link) => attributeOf(link, 'Id') === id) ?? '', 'Target') ?? '';
  const sheet = Buffer.from(read(target.startsWith('/') ? target.slice(1) : 'xl/' + target));
  const tail = sheet.subarray(Math.max(0, sheet.lastIndexOf('sheetData'))).toString('latin1');
  const merged = [...tail.matchAll(/<(?:\w+:)?mergeCell\s[^>]*ref=["']([A-Z]+)(\d+):[A-Z]+(\d+)["']/g)];
  return {
    number: index + 1,
    names,
    merged: merged.map(([, letters, top, bottom]) => ({
      column: columnNumber(letters) - 1,
      top: Number(top) - 1,
      bottom: Number(bottom) - 1,
    })),
  };
}

function repairWorkbook(bytes, { unzipSync, zipSync }) {
  const parts = unzipSync(bytes, { filter: ({ name }) => /^xl\/(?:workbook|styles|worksheets\/[^/]*)\.xml$/.test(name) });
  const textOf = (xml) => Buffer.from(xml.buffer, xml.byteOffset, xml.length).toString('latin1');
  const { 'xl/styles.xml': styles, ...sheets } = parts;
  const formats = styles === undefined ? [] : shownFormats(textOf(styles));
  const hasFormats = formats.some((code) => code !== undefined);
  const changed = Object.entries(sheets).flatMap(([name, xml]) => {
    const text = textOf(xml);
    const named = text
      .replace(/(<(?:\w+:)?c\b[^>]*\bt=")e(?=")/g, '$1str')
      .replace(uncomputed, '<$1c$2 t="str"><$1v>#UNCOMPUTED!</$1v></$1c>')
      .replace(/(<(?:\w+:)?workbookPr\b[^>]*\bdate1904=")true(?=")/, '$11');
    const shown = hasFormats ? withShownText(named, formats) : named;
    const repaired = lacksAddress.test(shown) ? withAddresses(shown) : shown;
    return repaired === text ? [] : [[name, Buffer.from(repaired, 'latin1')]];
  });
  return changed.length === 0
    ? bytes
    : zipSync({ ...unzipSync(bytes), ...Object.fromEntries(changed) }, { level: 0 });
}
`;
