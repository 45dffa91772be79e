import { type ChannelType, fieldsOf, type Settings } from './channels';

export const MASK = '••••';
const SHOWN_CHARACTERS = 4;

/** Fills fields from `given`, else from `previous`, else with the empty string. */
export function mergeSettings(type: ChannelType, given: object, previous: Settings = {}): Settings {
  const values = given as Partial<Settings>;
  return Object.fromEntries(fieldsOf(type).map(([name]) => [name, values[name] ?? previous[name] ?? '']));
}

/** Masks the secret fields. */
export function maskSettings(type: ChannelType, settings: Settings): Settings {
  return Object.fromEntries(fieldsOf(type).map(([name, { isSecret }]) => [name, isSecret ? mask(settings[name]) : settings[name]]));
}

function mask(value: string): string {
  if (value === '') return '';
  const characters = [...value]; // code points, so as not to split a surrogate pair
  return characters.length > SHOWN_CHARACTERS ? MASK + characters.slice(-SHOWN_CHARACTERS).join('') : MASK;
}
