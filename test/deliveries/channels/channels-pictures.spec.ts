import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHANNELS } from '../../../src/deliveries/channels/channel-table';
import { channelContext, jsonOf, outgoing, requestOf } from '../../support/outgoing';

const MESSAGE = {
  title: 'Backup failed',
  text: 'db-2 *stopped*: disk full.\nSee https://example.com/runbooks/disk, step 3.',
  url: 'https://example.com/alerts/17',
};

interface Run {
  text?: string;
  url?: string;
  style?: { bold: boolean };
  weight?: string;
  selectAction?: { url: string };
}

interface Slack {
  blocks: [{ elements: [{ elements: Run[] }] }];
}

interface Telegram {
  text: string;
  entities: [{ offset: number; length: number }];
}

interface Teams {
  attachments: [{ content: { body: { inlines: Run[] }[] } }];
}

function pictureOf({ text, url, style, weight, selectAction }: Run): string {
  const shown = text ?? url!;
  if (style?.bold || weight) return `**${shown}**`;
  return url || selectAction ? `‹${shown}›` : shown;
}

const picture = (runs: Run[]) => runs.map(pictureOf).join('');
const formOf = (type: string) => new URLSearchParams(requestOf(type, MESSAGE).body);

/** What each receiver shows of the request. */
const PICTURES: Record<string, () => string> = {
  email() {
    const channel = CHANNELS.get('email');
    if (channel?.transport !== 'smtp') throw new Error('email is not sent by SMTP.');
    const { to, subject, text } = channel.mail(outgoing(MESSAGE), channelContext());
    return `To: ${to}\nSubject: ${subject}\n\n${text.replace('-- \n', '--\n')}`;
  },
  webhook: () => JSON.stringify(jsonOf('webhook', MESSAGE), null, 2),
  slack: () => picture(jsonOf<Slack>('slack', MESSAGE).blocks[0].elements[0].elements),
  discord: () => jsonOf<{ content: string }>('discord', MESSAGE).content.replace(/\\([^0-9A-Za-z\s])/g, '$1'),
  telegram() {
    const { text, entities } = jsonOf<Telegram>('telegram', MESSAGE);
    const [{ offset, length }] = entities;
    return `${text.slice(0, offset)}**${text.slice(offset, offset + length)}**${text.slice(offset + length)}`;
  },
  microsoft_teams: () =>
    jsonOf<Teams>('microsoft_teams', MESSAGE)
      .attachments[0].content.body.map(({ inlines }) => picture(inlines))
      .join('\n'),
  twilio: () => formOf('twilio').get('Body')!,
  twilio_call: () =>
    formOf('twilio_call')
      .get('Twiml')!
      .replace(/<Say[^>]*>(.*?)<\/Say>/gs, (_, said: string) => `“${said}”\n`)
      .replaceAll('<Pause/>', '(a second)\n')
      .replace('<Pause length="2"/>', '(two seconds)\n')
      .replace(/<\/?Response>/g, '')
      .trim(),
  whatsapp: () => formOf('whatsapp').get('Body')!,
};

test('the page shows what each type looks like at its receiver', () => {
  const page = readFileSync(join(__dirname, '../../../docs/guides/message-formats.md'), 'utf8');
  const shown = Array.from(page.matchAll(/^`(\w+)`[^`]*:\n\n```\n(.*?)\n```$/gms), ([, type, block]) => [type, block]);
  expect(shown).toEqual([...CHANNELS.keys()].map((type) => [type, PICTURES[type]()]));
});
