import { parseArgs } from 'node:util';

/** Parses the command line. @throws TypeError on unknown options */
export function readOptions(args, names) {
  const { values } = parseArgs({ args, options: { short: { type: 'boolean', default: false }, only: { type: 'string' } } });
  const only = values.only?.split(',').filter(Boolean) ?? names;
  const unknown = only.find((name) => !names.includes(name));
  if (unknown) throw new TypeError(`--only takes some of ${names.join(',')}, not ${unknown}.`);
  return { isShort: values.short, only };
}
