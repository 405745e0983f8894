// Entry point of the package: the functions that Renderline's commands load.
import type { SandboxPackage } from 'renderline/sandbox/interface';
import { startSandbox as start } from './server/server.ts';

export const startSandbox: SandboxPackage['startSandbox'] = start;

export const makeCatalog: SandboxPackage['makeCatalog'] = async (dir) => {
  const catalog = await import('./demo/catalog.ts');
  return catalog.makeCatalog(dir);
};

export const makeModel: SandboxPackage['makeModel'] = async (name, slots) =>
  (await import('./demo/generated-files.ts')).makeModel(name, slots);

export const makePicture: SandboxPackage['makePicture'] = async (name) =>
  (await import('./demo/generated-files.ts')).makePicture(name);
