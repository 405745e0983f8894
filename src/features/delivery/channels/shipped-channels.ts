// The channels that are part of the product. The rules of a source without `read` are called unverified.
import type { Channel } from './channel.ts';

const readOn = '2026-11-27';
const amazonNames = {
  url: 'https://sellercentral.amazon.com.au/gp/help/external/help.html?itemID=JV4FNMT7563SF5F',
  read: readOn,
};

/** This page requires an account, so it has not been read. Many other pages quote the same rules. */
const amazonRules = 'https://sellercentral.amazon.com/help/hub/reference/external/G1881';
const amazonSize: NonNullable<Channel['sources']>[number] = {
  rules: ['maxSide', 'checks.longestSide'],
  says: 'The longest side must be 500 to 10,000 pixels; zoom needs at least 1,000, and 1,600 or more is recommended.',
  url: amazonRules,
};
const amazonFormat: NonNullable<Channel['sources']>[number] = {
  rules: ['format', 'checks.profile'],
  says: 'JPEG is preferred; TIFF, PNG and GIF are accepted. Colours are sRGB or CMYK.',
  url: amazonRules,
};
const google = {
  url: 'https://support.google.com/merchants/answer/6324350',
  read: readOn,
};
const shopify = {
  url: 'https://shopify.dev/docs/apps/build/online-store/product-media',
  read: readOn,
};

export const shippedChannels: Readonly<Record<string, Channel>> = {
  'amazon-main': {
    description: 'Amazon main image: the product alone, large, on pure white.',
    format: 'JPEG',
    maxSide: 2_000,
    square: true,
    fill: '90%',
    background: 'white',
    quality: 92,
    naming: '{{ key }}.MAIN.{{ ext }}',
    checks: {
      background: 'white',
      fill: '85%',
      longestSide: { min: 500, max: 10_000 },
      noAlpha: true,
      profile: 'sRGB',
    },
    sources: [
      {
        rules: ['background', 'checks.background', 'checks.noAlpha'],
        says: 'The background of the main image is pure white, RGB 255, 255, 255.',
        url: amazonRules,
      },
      {
        rules: ['fill', 'checks.fill'],
        says: 'The product fills at least 85% of the frame. Amazon does not define how to measure this share; Renderline measures it along the longer side.',
        url: amazonRules,
      },
      amazonSize,
      amazonFormat,
      {
        rules: ['naming'],
        says: 'Identifier, variant code and extension with full stops between them, such as B000123456.MAIN.jpg. Other characters, such as spaces and dashes, prevent the upload.',
        ...amazonNames,
      },
    ],
  },
  'amazon-pt': {
    description: 'More Amazon images (PT01, PT02, …): other angles and details.',
    format: 'JPEG',
    maxSide: 2_000,
    background: 'white',
    quality: 92,
    naming: '{{ key }}.PT0{{ index }}.{{ ext }}',
    checks: { longestSide: { min: 500, max: 10_000 }, profile: 'sRGB' },
    sources: [
      amazonSize,
      amazonFormat,
      {
        rules: ['naming'],
        says: 'Part shots have the variant codes PT01, PT02 and so on, as in B000123456.PT02.jpg.',
        ...amazonNames,
      },
    ],
  },
  shopify: {
    description: 'Product media of Shopify: a square.',
    format: 'JPEG',
    maxSide: 2_048,
    square: true,
    background: 'white',
    quality: 90,
    naming: '{{ key }}/{{ output }}.{{ ext }}',
    checks: { longestSide: { max: 5_000 }, maxPixels: 20_000_000, maxBytes: '20MB' },
    sources: [
      {
        rules: ['format', 'maxSide', 'square', 'checks.maxPixels'],
        says: 'PNG, GIF or JPG; at most 4472 x 4472 pixels, or 20 megapixels; 2048 x 2048 is best for square images.',
        ...shopify,
      },
      {
        rules: ['checks.longestSide', 'checks.maxBytes'],
        says: 'At most 5000 x 5000 pixels, 25 megapixels and 20 MB.',
        url: 'https://help.shopify.com/en/manual/products/product-media/product-media-types',
      },
    ],
  },
  'google-merchant': {
    description: 'Images of a Google Merchant Center feed (image_link).',
    format: 'JPEG',
    maxSide: 2_000,
    fill: '85%',
    background: 'white',
    quality: 90,
    naming: '{{ key }}/{{ output }}.{{ ext }}',
    checks: { shortestSide: { min: 500 }, maxPixels: 64_000_000, maxBytes: '16MB' },
    sources: [
      {
        rules: ['format', 'naming'],
        says: 'JPEG, WebP, PNG, GIF, BMP or TIFF; the extension corresponds to the format.',
        ...google,
      },
      {
        rules: ['maxSide', 'checks.shortestSide', 'checks.maxPixels', 'checks.maxBytes'],
        says: 'At least 500 x 500 pixels from 31 January 2027 (before: 100 x 100, clothing 250 x 250); 1500 x 1500 or more are recommended; at most 64 megapixels and 16 MB.',
        ...google,
      },
      {
        rules: ['fill', 'background'],
        says: 'The product fills 75 to 90% of the image, on white or transparency.',
        url: google.url,
      },
    ],
  },
  web: {
    description: 'Pictures for a web page as WebP.',
    format: 'WEBP',
    maxSide: 1_600,
    quality: 80,
    naming: '{{ key }}/{{ output }}.{{ ext }}',
    checks: { profile: 'sRGB' },
    sources: [
      {
        rules: ['maxSide', 'quality', 'checks.profile'],
        says: 'Renderline chose this size: twice the width of a picture on a product page.',
      },
    ],
  },
  'web-avif': {
    description: 'AVIF pictures for a web page: smaller files, slower to encode.',
    format: 'AVIF',
    maxSide: 1_600,
    quality: 55,
    naming: '{{ key }}/{{ output }}.{{ ext }}',
    checks: { profile: 'sRGB' },
    sources: [
      {
        rules: ['maxSide', 'quality', 'checks.profile'],
        says: 'Renderline chose this size: twice the width of a picture on a product page.',
      },
    ],
  },
};

/** Returns the source of a rule, or null if the channel is not a shipped one or the rule has no source. */
export function findSource(channel: string, rule: string) {
  const sources = Object.hasOwn(shippedChannels, channel) ? shippedChannels[channel]?.sources : [];
  return sources?.find(({ rules }) => rules.includes(rule)) ?? null;
}
