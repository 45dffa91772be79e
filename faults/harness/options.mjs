import { parseArgs } from 'node:util';

/** What the command line asks for. @throws TypeError on what it does not know */
export function readOptions(args, names) {
  const { values } = parseArgs({ args, options: { short: { type: 'boolean', default: false }, only: { type: 'string' } } });
  const only = values.only?.split(',').filter(Boolean) ?? names;
  const unknown = only.find((name) => !names.includes(name));
  if (unknown) throw new TypeError(`--only takes some of ${names.join(',')}, not ${unknown}.`);
  return { isShort: values.short, only };
}
