// Rewrites the parts of a workbook that the reader of workbooks would refuse or misread.

/**
 * CommonJS for the process of `read-xlsx.ts`. `repairWorkbook(bytes, fflate)` returns the bytes of a workbook that the
 * reader understands. The reader returns errors, and formulas without a result, as empty cells. It overlooks that dates
 * count from 1904 if the workbook says "true". It refuses cells without an address, although ECMA-376 makes the address
 * optional. It reads a time without a day as a time of 1899.
 */
export const repairScript = String.raw`
const uncomputed = /<(\w+:)?c\b((?:(?!\bt=)[^>])*)>\s*<\1f\b(?:[^>]*\/>|[^>]*>[^<]*<\/\1f>)\s*(?:<\1v\s*\/>|<\1v><\/\1v>)?\s*<\/\1c>/g;
const lacksAddress = /<(?:\w+:)?c(?=[\s\/>])(?![^>]*\sr=)/;
const number = /<((?:\w+:)?)c(\s[^>]*[^>\/])>\s*(?:<\1f\b(?:[^>]*\/>|[^>]*>[^<]*<\/\1f>)\s*)?<\1v>([\d.eE+-]+)<\/\1v>\s*<\/\1c>/g;

function attributeOf(attributes, name) {
  return new RegExp('\\s' + name + '=["\']([^"\']*)["\']').exec(attributes)?.[1];
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
const quotedOrColour = /"[^"]*"|\\.|\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi;

/** Returns the formats of times without a day, by the number of the style. */
function timeFormats(styles) {
  const codes = { ...builtInTimes };
  for (const [, attributes] of styles.matchAll(/<(?:\w+:)?numFmt(\s[^>]*)>/g)) {
    const code = (attributeOf(attributes, 'formatCode') ?? '').replaceAll('&quot;', '"');
    codes[attributeOf(attributes, 'numFmtId')] = code.split(';')[0];
  }
  const [cellStyles = ''] = /<((?:\w+:)?)cellXfs\b[^]*?<\/\1cellXfs>/.exec(styles) ?? [];
  return [...cellStyles.matchAll(/<(?:\w+:)?xf(\s[^>]*)>/g)].map(([, attributes]) => {
    const code = codes[attributeOf(attributes, 'numFmtId')] ?? '';
    const plain = code.replace(quotedOrColour, '').replace(/am\/pm|a\/p/i, '');
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

/**
 * Writes times without a day as text. A time of at least a day has a date, unless its format counts hours from zero.
 */
function withTimesAsText(text, formats) {
  return text.replace(number, (whole, prefix, attributes, value) => {
    const code = formats[Number(attributeOf(attributes, 's'))];
    if (code === undefined || (attributeOf(attributes, 't') ?? 'n') !== 'n') return whole;
    const days = Number(value);
    if (!(days >= 0 && (days < 1 || /\[(?:h+|m+|s+)\]/i.test(code)))) return whole;
    const kept = attributes.replace(/\st="n"/, '');
    return '<' + prefix + 'c' + kept + ' t="str"><' + prefix + 'v>' + timeText(days, code) + '</' + prefix + 'v></' + prefix + 'c>';
  });
}

function repairWorkbook(bytes, { unzipSync, zipSync }) {
  const parts = unzipSync(bytes, { filter: ({ name }) => /^xl\/(?:workbook|styles|worksheets\/[^/]*)\.xml$/.test(name) });
  const textOf = (xml) => Buffer.from(xml.buffer, xml.byteOffset, xml.length).toString('latin1');
  const { 'xl/styles.xml': styles, ...sheets } = parts;
  const formats = styles === undefined ? [] : timeFormats(textOf(styles));
  const hasTimes = formats.some((code) => code !== undefined);
  const changed = Object.entries(sheets).flatMap(([name, xml]) => {
    const text = textOf(xml);
    const named = text
      .replace(/(<(?:\w+:)?c\b[^>]*\bt=")e(?=")/g, '$1str')
      .replace(uncomputed, '<$1c$2 t="str"><$1v>#UNCOMPUTED!</$1v></$1c>')
      .replace(/(<(?:\w+:)?workbookPr\b[^>]*\bdate1904=")true(?=")/, '$11');
    const timed = hasTimes ? withTimesAsText(named, formats) : named;
    const repaired = lacksAddress.test(timed) ? withAddresses(timed) : timed;
    return repaired === text ? [] : [[name, Buffer.from(repaired, 'latin1')]];
  });
  return changed.length === 0
    ? bytes
    : zipSync({ ...unzipSync(bytes), ...Object.fromEntries(changed) }, { level: 0 });
}
`;
