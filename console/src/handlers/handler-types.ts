import type { Schemas } from '../api/api';

export type Handler = Schemas['NotificationHandlerRecord'];
export type HandlerType = Handler['type'];
/** Setting names, as in the API. */
export type Setting =
  'email' | 'webhook' | 'slack' | 'discord' | 'telegram' | 'telegram_chat_id' | 'microsoft_teams' | 'twilio' | 'twilio_call' | 'whatsapp';

interface SettingField {
  name: Setting;
  input: 'text' | 'url' | 'email' | 'tel';
  placeholder: string;
  /** Whether anybody who knows the value can send with it; masked for keys without `secrets:read`. */
  isSecret: boolean;
}

const secretUrl = (name: Setting, placeholder: string): SettingField[] => [{ name, input: 'url', placeholder, isSecret: true }];
const phone = (name: Setting): SettingField[] => [{ name, input: 'tel', placeholder: '+55 11 98765-4321', isSecret: false }];

/** The settings of each handler type. */
export const SETTINGS: Record<HandlerType, SettingField[]> = {
  email: [{ name: 'email', input: 'email', placeholder: 'ops@example.com', isSecret: false }],
  webhook: secretUrl('webhook', 'https://example.com/hooks/frontdesk'),
  slack: secretUrl('slack', 'https://hooks.slack.com/services/…'),
  discord: secretUrl('discord', 'https://discord.com/api/webhooks/…'),
  telegram: [
    { name: 'telegram', input: 'text', placeholder: '123456789:AAF…', isSecret: true },
    { name: 'telegram_chat_id', input: 'text', placeholder: '-1001234567890', isSecret: false },
  ],
  microsoft_teams: secretUrl('microsoft_teams', 'https://….environment.api.powerplatform.com/…'),
  twilio: phone('twilio'),
  twilio_call: phone('twilio_call'),
  whatsapp: phone('whatsapp'),
};

export const HANDLER_TYPES = Object.keys(SETTINGS) as HandlerType[];

const MASK = '••••';

/** Masks a value as the API does. */
export function mask(value: string): string {
  return value === '' || isMasked(value) ? value : MASK + [...value].slice(-4).join('');
}

export function isMasked(value: string): boolean {
  return value.startsWith(MASK);
}

export function settingOf({ settings }: Handler, name: Setting): string {
  return (settings as Partial<Record<Setting, string>>)[name] ?? '';
}

/** The handler's destination, without secrets. */
export function targetOf(handler: Handler): string {
  const setting = SETTINGS[handler.type].find(({ isSecret }) => !isSecret) ?? SETTINGS[handler.type][0];
  const value = setting ? settingOf(handler, setting.name) : '';
  return setting?.isSecret && URL.canParse(value) ? new URL(value).host : value;
}
