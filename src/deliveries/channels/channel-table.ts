import type { Channel } from './channel';
import { DISCORD } from './discord.channel';
import { EMAIL } from './email.channel';
import { MICROSOFT_TEAMS } from './microsoft-teams.channel';
import { SLACK } from './slack.channel';
import { TELEGRAM } from './telegram.channel';
import { TWILIO, TWILIO_CALL, WHATSAPP } from './twilio.channels';
import { WEBHOOK } from './webhook.channel';

/** The channel of each handler type. A new type also needs settings: docs/extend/channels.md. */
export const CHANNELS: ReadonlyMap<string, Channel> = new Map<string, Channel>([
  ['email', EMAIL],
  ['webhook', WEBHOOK],
  ['slack', SLACK],
  ['discord', DISCORD],
  ['telegram', TELEGRAM],
  ['microsoft_teams', MICROSOFT_TEAMS],
  ['twilio', TWILIO],
  ['twilio_call', TWILIO_CALL],
  ['whatsapp', WHATSAPP],
]);
