import { parseArgs } from 'node:util';

/** A smoke test: one workload of each kind. */
const QUICK = {
  rounds: 1,
  seconds: 1,
  warmUp: 0,
  only: ['list-25', 'read', 'create', 'update', 'mixed', 'scheduling', 'large-middle', 'walk'],
  sizes: { small: 100, medium: 1_000, large: 10_000 },
  agendamentos: 1_000,
};
const FULL = { rounds: 5, seconds: 3, warmUp: 1, sizes: { small: 100, medium: 10_000, large: 1_000_000 }, agendamentos: 10_000 };
/** Databases of a full run. */
const DATABASES = ['mariadb', 'sqlite'];
/** Needs root, and unpacks a server first. */
const MYSQL = 'mysql';

/** Parses the command line. @throws TypeError on unknown options */
export function readOptions(args, serverNames) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      only: { type: 'string' },
      servers: { type: 'string' },
      databases: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      baseline: { type: 'string' },
    },
  });
  const basis = values.quick ? QUICK : FULL;
  return {
    ...basis,
    rounds: positive('rounds', values.rounds, basis.rounds),
    seconds: positive('seconds', values.seconds, basis.seconds),
    only: list(values.only) ?? basis.only,
    servers: some('servers', values.servers, serverNames),
    baseline: values.baseline,
    profile: values.profile,
    databases: values.databases ? some('databases', values.databases, [...DATABASES, MYSQL]) : DATABASES,
    /** A partial run only prints: the pages come from one full run. */
    isWhole: !values.quick && !values.profile && !values.baseline && !values.only && !values.servers && !values.databases,
  };
}

function list(text) {
  return text?.split(',').filter(Boolean);
}

function some(name, text, all) {
  const names = list(text) ?? all;
  const unknown = names.find((one) => !all.includes(one));
  if (unknown) throw new TypeError(`--${name} takes some of ${all.join(',')}, not ${unknown}.`);
  return names;
}

function positive(name, text, fallback) {
  const number = Number(text ?? fallback);
  if (!Number.isInteger(number) || number < 1) throw new TypeError(`--${name} takes an integer from 1.`);
  return number;
}
