import { isEmail } from 'class-validator';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { type FieldType, HTTP_URL, isWithin } from '../platform/common/field-types';
import { findInvisible } from '../platform/common/invisible-characters';
import type { Violation } from '../platform/common/errors';

/** A field of a channel's settings; a secret field grants access to the channel. */
interface ChannelField {
  fieldType: FieldType<string>;
  description: string;
  isSecret: boolean;
}

const MAX_EMAIL_LENGTH = 254;

const EMAIL: FieldType<string> = {
  expected: `an email address of at most ${MAX_EMAIL_LENGTH} characters`,
  schema: { type: 'string', format: 'email', maxLength: MAX_EMAIL_LENGTH, examples: ['ops@example.com'] },
  parse: (value) => (isWithin(value, MAX_EMAIL_LENGTH) && isEmail(value) && !findInvisible(value) ? value : undefined),
};

const TELEGRAM_TOKEN: FieldType<string> = {
  expected: 'a Telegram API token: digits, a colon, then letters, digits, _ and -',
  schema: { type: 'string', pattern: '^\\d+:[A-Za-z0-9_-]+$', examples: ['123456789:an-example-token'] },
  parse: (value) => (/^\d+:[A-Za-z0-9_-]+$/.test(value) ? value : undefined),
};

const TELEGRAM_CHAT: FieldType<string> = {
  expected: 'a Telegram chat identifier: digits with an optional minus before them, or @name',
  schema: { type: 'string', pattern: '^(-?\\d+|@\\w+)$', examples: ['-1001234567890'] },
  parse: (value) => (/^(?:-?\d+|@[A-Za-z0-9_]+)$/.test(value) ? value : undefined),
};

/** Mexico dropped the 1 after its country code in 2019, but many people still write it. */
const MEXICAN_MOBILE = /^521(?=\d{10}$)/;

const PHONE: FieldType<string> = {
  expected: 'a phone number in international form, such as +55 11 98765-4321',
  schema: { type: 'string', pattern: '^\\+', examples: ['+5511987654321'] },
  parse(value) {
    if (!/^\+[\d\s().-]{3,40}$/.test(value) || findInvisible(value)) return undefined; // \s matches U+FEFF
    const digits = value.replace(/\D/g, '').replace(MEXICAN_MOBILE, '52');
    const number = parsePhoneNumberFromString(`+${digits}`);
    return number?.isPossible() ? number.number : undefined;
  },
};

const secretUrl = (description: string): ChannelField => ({ fieldType: HTTP_URL, description, isSecret: true });
const phone: ChannelField = { fieldType: PHONE, description: 'A phone number; stored in E.164 format.', isSecret: false };

/** The settings of each handler type, for validation, masking and the OpenAPI document. A new type also needs a channel: docs/extend/channels.md. */
export const CHANNEL_SETTINGS = {
  email: { email: { fieldType: EMAIL, description: 'An email address.', isSecret: false } },
  webhook: { webhook: secretUrl('Webhook URL.') },
  slack: { slack: secretUrl('Slack webhook URL.') },
  discord: { discord: secretUrl('Discord webhook URL.') },
  telegram: {
    telegram: { fieldType: TELEGRAM_TOKEN, description: 'Telegram API token.', isSecret: true },
    telegram_chat_id: { fieldType: TELEGRAM_CHAT, description: 'Telegram chat identifier.', isSecret: false },
  },
  microsoft_teams: { microsoft_teams: secretUrl('Microsoft Teams webhook URL.') },
  twilio: { twilio: phone },
  twilio_call: { twilio_call: phone },
  whatsapp: { whatsapp: phone },
} as const satisfies Record<string, Record<string, ChannelField>>;

export type ChannelType = keyof typeof CHANNEL_SETTINGS;
export type Settings = Record<string, string>;

export const CHANNEL_TYPES = Object.keys(CHANNEL_SETTINGS) as ChannelType[];

export const CHANNEL_FIELDS = CHANNEL_TYPES.flatMap((type) =>
  Object.entries<ChannelField>(CHANNEL_SETTINGS[type]).map(([name, field]) => ({ name, type, ...field })),
);

export function fieldsOf(type: ChannelType): [string, ChannelField][] {
  return Object.entries(CHANNEL_SETTINGS[type]);
}

export const MASK = '••••';
const UNMASKED_CHARACTERS = 4;

/** Fills fields from `input`, else from `previous`, else with the empty string. */
export function mergeSettings(type: ChannelType, input: object, previous: Settings = {}): Settings {
  const values = input as Partial<Settings>;
  return Object.fromEntries(fieldsOf(type).map(([name]) => [name, values[name] ?? previous[name] ?? '']));
}

/** Masks the secret fields. */
export function maskSettings(type: ChannelType, settings: Settings): Settings {
  return Object.fromEntries(fieldsOf(type).map(([name, { isSecret }]) => [name, isSecret ? mask(settings[name]) : settings[name]]));
}

function mask(value: string): string {
  if (value === '') return '';
  const characters = [...value]; // code points, so as not to split a surrogate pair
  return characters.length > UNMASKED_CHARACTERS ? MASK + characters.slice(-UNMASKED_CHARACTERS).join('') : MASK;
}

/** The error for a non-empty field of another handler type. */
export function otherTypeDetail(name: string, value: unknown, fieldType: ChannelType, handlerType?: ChannelType): string | undefined {
  const isOther = handlerType !== undefined && handlerType !== fieldType && value !== '' && value !== undefined;
  return isOther ? `${name} belongs to the type ${fieldType}; this handler is of type ${handlerType}.` : undefined;
}

/** The errors of all fields that belong to another type. */
export function otherTypeViolations(changes: object, handlerType: ChannelType): Violation[] {
  const values = changes as Record<string, unknown>;
  return CHANNEL_FIELDS.flatMap(({ name, type }): Violation[] => {
    const detail = otherTypeDetail(name, values[name], type, handlerType);
    return detail ? [{ code: 'invalid_parameter', detail, source: { in: 'form', name } }] : [];
  });
}
