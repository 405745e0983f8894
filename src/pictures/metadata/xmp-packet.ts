// Descriptive metadata of a picture as an XMP packet, in the properties of the IPTC Photo Metadata Standard. Pure.

/** Values of IPTC's vocabulary for the source of a picture (as of November 2026) that apply to renders. */
export const digitalSourceTypes = [
  'digitalCreation',
  'compositeSynthetic',
  'compositeWithTrainedAlgorithmicMedia',
  'trainedAlgorithmicMedia',
  'algorithmicMedia',
  'dataDrivenMedia',
  'composite',
] as const;
export type DigitalSourceType = (typeof digitalSourceTypes)[number];

/** Fields with a single text. */
export const metadataTexts = [
  'title',
  'description',
  'altText',
  'creator',
  'copyright',
  'credit',
  'sku',
  'gtin',
] as const;
export type MetadataText = (typeof metadataTexts)[number];

export interface PictureMetadata extends Partial<Record<MetadataText, string>> {
  keywords?: readonly string[];
  digitalSourceType?: DigitalSourceType;
}

/** Maximum size of a packet in all formats. A JPEG stores a packet in one segment of at most 65,535 bytes. */
export const maxPacketBytes = 63 * 1024;

const namespaces = {
  dc: 'http://purl.org/dc/elements/1.1/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  Iptc4xmpCore: 'http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/',
  Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
} as const;
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const sourceTypes = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

/** Creates a packet of the non-empty fields. Returns null if all are empty. Equal metadata yields equal bytes. */
export function createXmpPacket(metadata: PictureMetadata): Buffer | null {
  const text = (field: MetadataText) => cleanText(metadata[field] ?? '');
  const keywords = [...new Set((metadata.keywords ?? []).map(cleanText))].filter(Boolean);
  const { digitalSourceType: source } = metadata;
  const properties = [
    formatProperty('dc:title', formatLangAlt(text('title'))),
    formatProperty('dc:description', formatLangAlt(text('description'))),
    formatProperty('dc:creator', list('Seq', [text('creator')])),
    formatProperty('dc:rights', formatLangAlt(text('copyright'))),
    formatProperty('dc:subject', list('Bag', keywords)),
    formatProperty('photoshop:Credit', escapeXml(text('credit'))),
    formatProperty('Iptc4xmpCore:AltTextAccessibility', formatLangAlt(text('altText'))),
    formatProduct(text('gtin'), text('sku')),
    formatProperty(
      'Iptc4xmpExt:DigitalSourceType',
      source === undefined ? '' : sourceTypes + source,
    ),
  ].join('');
  if (properties === '') return null;
  const spaces = Object.entries(namespaces).map(([prefix, uri]) => ` xmlns:${prefix}="${uri}"`);
  return Buffer.from(
    `<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${rdf}"><rdf:Description rdf:about=""${spaces.join('')}>${properties}</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>`,
  );
}

function formatProperty(name: string, value: string): string {
  return value === '' ? '' : `<${name}>${value}</${name}>`;
}

function formatLangAlt(text: string): string {
  if (text === '') return '';
  return `<rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(text)}</rdf:li></rdf:Alt>`;
}

function list(kind: 'Seq' | 'Bag', texts: readonly string[]): string {
  const items = texts.map((text) => formatProperty('rdf:li', escapeXml(text))).join('');
  return formatProperty(`rdf:${kind}`, items);
}

/** Formats the identifiers of the product. IPTC keeps them in a structure for each product in the picture. */
function formatProduct(gtin: string, sku: string): string {
  const fields =
    formatProperty('Iptc4xmpExt:ProductGTIN', escapeXml(gtin)) +
    formatProperty('Iptc4xmpExt:ProductId', escapeXml(sku));
  if (fields === '') return '';
  const item = `<rdf:li rdf:parseType="Resource">${fields}</rdf:li>`;
  return formatProperty('Iptc4xmpExt:ProductInImage', formatProperty('rdf:Bag', item));
}

/** Trims text, and replaces control characters except tab and line breaks with spaces, because XML forbids them. */
export function cleanText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\t\n])[\p{Cc}\ufffe\uffff]/gu, ' ')
    .trim();
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeXml(text: string): string {
  return text.replaceAll(/[&<>]/g, (character) => entities[character] ?? character);
}
