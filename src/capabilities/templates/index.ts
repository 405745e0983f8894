import { defineCapability } from '../../machinery/capability.ts';
import { templateMatch } from './template-match.ts';

/** Scenes that projects are made from. */
export const templates = defineCapability({ name: 'templates', nodes: [templateMatch] });
