import { defineFailures } from '../../failures/define.ts';

export const propertyFailures = defineFailures('run', {
  PROPERTY_NOT_FOUND: {
    title: 'The workspace has no property with this name for assets of this type.',
    fix: 'Correct the name; `renderline api listProperties` lists all properties.',
    stops: 'not-found',
  },
  PROPERTY_AMBIGUOUS: {
    title: 'Two properties have this name.',
    fix: "Use the property's id or key.",
    stops: 'not-found',
  },
  PROPERTY_VALUE: {
    title: 'The property does not accept this value.',
    fix: "Use a value of the property's type; the message states the type.",
    stops: 'not-found',
  },
  OPTION_NOT_FOUND: {
    title: 'No option of the property has this label.',
    fix: 'Use one of the options that the message lists.',
    stops: 'not-found',
  },
  OPTION_AMBIGUOUS: {
    title: 'Two options of the property have this label.',
    fix: 'Use the id of the option.',
    stops: 'not-found',
  },
  NAMED_ASSET_NOT_FOUND: {
    title: 'No asset of this type in the workspace has the name given in `names`.',
    fix: 'Correct the name; `renderline api searchAssets` lists all assets of a type.',
    stops: 'not-found',
  },
  NAMED_ASSET_AMBIGUOUS: {
    title: 'Several assets of the type have the name given in `names`.',
    fix: 'Use the id of the asset; the message lists the ids.',
    stops: 'not-found',
  },
});
