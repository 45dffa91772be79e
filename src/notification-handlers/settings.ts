import { type ChannelType, fieldsOf, type Settings } from './channels';

export const MASK = '••••';
const SHOWN_CHARACTERS = 4;

/** The settings of a type: what is given, else what was there, else the empty string. */
export function mergeSettings(type: ChannelType, given: object, previous: Settings = {}): Settings {
  const values = given as Partial<Settings>;
  return Object.fromEntries(fieldsOf(type).map(([name]) => [name, values[name] ?? previous[name] ?? '']));
}

/** The settings as somebody sees them who may not send or log in with what they hold. */
export function maskSettings(type: ChannelType, settings: Settings): Settings {
  return Object.fromEntries(fieldsOf(type).map(([name, { secret }]) => [name, secret ? mask(settings[name]) : settings[name]]));
}

/** A text that is no longer than the part that stays visible is hidden whole. */
function mask(value: string): string {
  if (value === '') return '';
  const characters = [...value]; // code points: half of one is no text
  return characters.length > SHOWN_CHARACTERS ? MASK + characters.slice(-SHOWN_CHARACTERS).join('') : MASK;
}
