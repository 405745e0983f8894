// Failures of outputs and of their delivery.
import { defineFailures } from '../../failures/define.ts';

export const deliveryFailures = defineFailures('asset', {
  NO_OUTPUT: {
    title: 'The render ended without any picture.',
    fix: 'Look at `settings` of `render`: they may leave nothing to draw.',
  },
  OUTPUT_OF_ANOTHER: {
    title: 'The platform gives a render job of another project for that of the asset.',
    fix: 'Ask the platform’s support which job is the right one, then run again.',
  },
  OUTPUT_FORMAT: {
    title: 'The picture is not of the format that was asked for.',
    fix: 'Run again; report it to the platform where it stays so.',
  },
  OUTPUT_TOO_LARGE: {
    title:
      'The picture has more pixels, or more beside its pixels, than what was asked for can have, or takes too long to decode.',
    fix: 'Raise `maxPixels` in `verify` of the export where it is right as it is, then run again.',
  },
  OUTPUT_TOO_SMALL: {
    title: 'The picture is smaller than `verify` allows.',
    fix: 'Raise `imageQuality`, or lower `minWidth` and `minHeight`.',
  },
  OUTPUT_REFUSED: {
    title: 'Storage would not hand out the file, also when it was asked six times.',
    fix: 'Run again; if it stays so, look at the render on the platform.',
  },
  OUTPUT_UNREACHABLE: {
    title:
      'The file did not come: its connection broke, or storage had trouble, at each of six tries.',
    fix: 'Run again: nothing is paid twice. If it stays so, check that the worker reaches the host in the message.',
  },
  OUTPUT_TWICE: {
    title: 'The platform lists one output of a render twice, so another one may be missing.',
    fix: 'Run again; report it to the platform where it stays so.',
  },
  TOO_MANY_OUTPUTS: {
    title: 'The platform lists more outputs of one render than a render can have.',
    fix: 'Look at the render on the platform; ask for fewer variants, bookmarks or shots at once where they are right.',
  },
  OUTPUT_UNNAMED: {
    title: 'Nothing is left of the name of a file.',
    fix: 'Put `{{ key }}` into `naming` of the export, then run again.',
  },
  OUTPUT_GONE: {
    title:
      'The picture lies no more where it was delivered, and the platform does not have it: it has to be rendered again.',
    fix: 'That is paid for: `renderline rerun RUN --failed` does it; with `run --yes`, or `limits: { renders }` in the file, a run does it by itself.',
  },
  OUTPUT_BLANK: {
    title: 'The picture shows one single colour.',
    fix: 'Look at model and template; `verify: { notBlank: false }` lets it pass.',
  },
  NO_MODEL_FILE: {
    title: 'The platform has no file of the model in this format.',
    fix: 'Leave the format out of `formats` of the export, or upload a file of which the platform makes it; then run again.',
  },
  MODEL_FILE_OTHER: {
    title:
      'The platform gives another file as the source of the model than the one that was uploaded.',
    fix: 'Run again; report it to the platform where it stays so.',
  },
  IMAGE_LARGER: {
    title: 'An image would be larger than the picture that it is made of.',
    fix: 'Lower its width and height in `images` of the export, or render larger (`imageQuality: 2`, or a custom size), then run again.',
  },
  IMAGE_BITS: {
    title: 'An image is to have 16 bits a channel, and the picture that it is made of has 8.',
    fix: 'Render with `imageFormat: TIFF`, or leave `bits` of the image out, then run again.',
  },
  IMAGE_BYTES: {
    title: 'An image has more than `maxBytes` also at the lowest quality.',
    fix: 'Raise `maxBytes`, or lower its width and height, then run again.',
  },
  IMAGE_FAILED: {
    title: 'An image could not be made of the picture.',
    fix: 'Run again: nothing is paid twice. If it stays so, ask for a smaller image or another format.',
  },
  OUTPUT_UNREADABLE: {
    title: 'The picture, document or model cannot be read.',
    fix: 'Run again; report it to the platform where it stays so.',
  },
});

/** Failures that stop the whole run. */
export const deliveryCauses = defineFailures('run', {
  PICTURES_CHANGED: {
    title:
      'New pictures differ more from those before than `accept` of the export allows; the old ones are still in place.',
    fix: 'Look at them with `renderline report RUN`, then `renderline approve RUN`, or `renderline cancel RUN`.',
    stops: 'later',
  },
});
