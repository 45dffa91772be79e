import { LIMITED_TYPES } from '../../../src/platform/config/value-types';
import { type ChannelContext, NotConfigured } from '../../../src/deliveries/channels/channel';
import { CHANNELS } from '../../../src/deliveries/channels/channel-table';
import { CHANNEL_TYPES } from '../../../src/notification-handlers/channel-settings';
import { channelContext, outgoing } from '../../support/areas/outgoing';

const PAID = ['twilio', 'twilio_call', 'whatsapp'];

function problemOf(type: string, change: Partial<ChannelContext>): string {
  const channel = CHANNELS.get(type)!;
  const context = channelContext(change);
  try {
    if (channel.transport === 'smtp') channel.mail(outgoing(), context);
    else channel.request(outgoing(), context);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(NotConfigured);
    return (error as NotConfigured).message;
  }
}

test('every handler type has a channel and may have a daily limit', () => {
  expect([...CHANNELS.keys()].sort()).toEqual([...CHANNEL_TYPES].sort());
  expect([...LIMITED_TYPES].sort()).toEqual([...CHANNEL_TYPES].sort());
});

test('only Twilio’s channels are paid', () => {
  expect([...CHANNELS].filter(([, { isPaid }]) => isPaid).map(([type]) => type)).toEqual(PAID);
});

test.each<[string, string]>([...CHANNEL_TYPES.map((type): [string, string] => [type, type]), ['telegram', 'telegram_chat_id']])(
  '%s without the setting %s is not configured',
  (type, setting) => {
    const { settings } = channelContext();
    const message = `${setting} is empty: set it in the handler.`;
    expect(problemOf(type, { settings: { ...settings, [setting]: '' } })).toBe(message);
    const others = Object.entries(settings).filter(([name]) => name !== setting);
    expect(problemOf(type, { settings: Object.fromEntries(others) })).toBe(message);
  },
);

const ACCOUNT = { sid: 'AC1', token: 'x', whatsappMax: 900 };

test.each([
  ['email', { smtp: undefined }, 'SMTP_URL and MAIL_FROM'],
  ...PAID.map((type) => [type, { twilio: undefined }, 'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN'] as const),
  ['twilio', { twilio: { ...ACCOUNT } }, 'TWILIO_FROM or TWILIO_MESSAGING_SERVICE_SID'],
  ['twilio_call', { twilio: { ...ACCOUNT, messagingServiceSid: 'MG1' } }, 'TWILIO_FROM'],
  ['whatsapp', { twilio: { ...ACCOUNT, from: '+1', whatsappContentSid: 'HX1' } }, 'TWILIO_WHATSAPP_FROM'],
] as const)('%s with %j is not configured and names the missing variable', (type, change, names) => {
  const { accounts } = channelContext();
  expect(problemOf(type, { accounts: { ...accounts, ...change } })).toBe(`The operator of this service has not set ${names}.`);
});
